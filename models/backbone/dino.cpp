#include "models/backbone/dino.h"

#include <array>
#include <cmath>
#include <numbers>

#include "gpu/ops/attention.h"
#include "gpu/ops/elementwise.h"

namespace saccade {

namespace {

// The names of tensors, in DINOv2's and DINOv3's files.
struct TensorNames {
    const char *patches, *layer, *query, *key, *value, *out, *fc1, *fc2, *norm;
};
constexpr TensorNames second{"embeddings.patch_embeddings.projection",
                             "encoder.layer.",
                             ".attention.attention.query",
                             ".attention.attention.key",
                             ".attention.attention.value",
                             ".attention.output.dense",
                             ".mlp.fc1",
                             ".mlp.fc2",
                             "layernorm"};
constexpr TensorNames third{"embeddings.patch_embeddings",
                            "layer.",
                            ".attention.q_proj",
                            ".attention.k_proj",
                            ".attention.v_proj",
                            ".attention.o_proj",
                            ".mlp.up_proj",
                            ".mlp.down_proj",
                            "norm"};

const TensorNames& tensor_names(const DinoConfig& config) { return config.third ? third : second; }

}  // namespace

Dino::Dino(WeightLoader& weights, const DinoConfig& config)
    : config_(config),
      start_(weights.device(), "DINO positions"),
      rope_(weights.device(), "DINO rope") {
    const uint32_t dim = config.hidden;
    // A file with the backbone only has no prefix.
    if (weights.source().optional("embeddings.cls_token", {1, 1, dim})) config_.prefix.clear();
    const std::string& in = config_.prefix;

    patch_embedding_ = weights.linear(in + tensor_names(config).patches,
                                      {.out = dim,
                                       .in = 3 * area(config.patch),
                                       .stored = {dim, 3, config.patch.y, config.patch.x}});
    for (uint32_t i = 0; i < config.layers; ++i) blocks_.push_back(load_block(weights, i));
    norm_ = weights.norm(in + tensor_names(config).norm, dim, config.norm_eps);

    first_tokens_ = weights.floats(in + "embeddings.cls_token", {1, 1, dim});
    if (config.positions != DinoConfig::Positions::rotary) {
        const uint32_t patches = area(config.grid_of(config.image));
        positions_ = weights.floats(in + "embeddings.position_embeddings", {1, patches + 1, dim});
        for (size_t i = 0; i < dim; ++i) first_tokens_[i] += positions_[i];
        positions_.erase(positions_.begin(), positions_.begin() + dim);
    }
    if (config.registers > 0) {
        const std::vector<float> registers =
            weights.floats(in + "embeddings.register_tokens", {1, config.registers, dim});
        first_tokens_.insert(first_tokens_.end(), registers.begin(), registers.end());
    }
    prepare(config.image);
}

Dino::Block Dino::load_block(WeightLoader& weights, uint32_t index) const {
    const TensorNames& names = tensor_names(config_);
    const std::string in = config_.prefix + names.layer + std::to_string(index);
    const uint32_t dim = config_.hidden, inner = config_.intermediate, head = config_.head_size();
    const std::array<std::string, 3> qkv = {in + names.query, in + names.key, in + names.value};
    const std::array<std::string, 2> gated = {in + ".mlp.gate_proj", in + ".mlp.up_proj"};
    const bool biases[] = {config_.query_bias, config_.key_bias, config_.value_bias};

    Block block;
    const float eps = config_.norm_eps;
    block.qkv = weights.norm_linear(in + ".norm1", eps, qkv,
                                    {.out = dim,
                                     .in = dim,
                                     .out_head = head,
                                     .bias = biases[0] || biases[1] || biases[2],
                                     .biased = {biases[0], biases[1], biases[2]}});
    block.out = weights.linear(in + names.out, {.out = dim,
                                                .in = dim,
                                                .in_head = head,
                                                .bias = config_.out_bias,
                                                .row_scale = in + ".layer_scale1.lambda1"});
    LinearForm down{.out = dim,
                    .in = inner,
                    .in_head = inner,
                    .bias = config_.mlp_bias,
                    .row_scale = in + ".layer_scale2.lambda1"};
    if (!config_.gated) {
        block.fc1 = weights.norm_linear(
            in + ".norm2", eps, in + names.fc1,
            {.out = inner, .in = dim, .out_head = inner, .bias = config_.mlp_bias});
        block.fc2 = weights.linear(in + names.fc2, down);
    } else if (config_.third) {
        block.fc1 = weights.norm_linear(
            in + ".norm2", eps, gated,
            {.out = inner, .in = dim, .out_head = inner, .bias = config_.mlp_bias});
        block.fc2 = weights.linear(in + names.fc2, down);
    } else {
        block.fc1 = weights.norm_linear(in + ".norm2", eps, in + ".mlp.weights_in",
                                        {.out = 2 * inner, .in = dim});
        block.fc2 = weights.linear(in + ".mlp.weights_out", down);
    }
    return block;
}

// The tokens before the patches are added: [x_class + E_pos; x_register; E_pos]
std::vector<float> Dino::start_of(Size grid) const {
    std::vector<float> start = first_tokens_;
    if (positions_.empty()) {
        start.resize(start.size() + size_t(area(grid)) * config_.hidden);
        return start;
    }
    const Size own = config_.grid_of(config_.image);
    const double offset = grid == own ? 0 : config_.position_offset;
    const std::vector<float> positions =
        config_.positions == DinoConfig::Positions::resized
            ? resize_bicubic(positions_, config_.hidden, own, grid, offset)
            : resize_bicubic_antialiased(positions_, config_.hidden, own, grid);
    start.insert(start.end(), positions.begin(), positions.end());
    return start;
}

// Axial RoPE: cosines and sines of 2 pi y f_i, then of 2 pi x f_i, where y and x go from -1 to 1
// across the picture and f_i = theta^(-4 i / head).
std::vector<float> Dino::rope_of(Size grid) const {
    const uint32_t quarter = config_.head_size() / 4;
    std::vector<float> angles, rope;
    for (uint32_t y = 0; y < grid.y; ++y)
        for (uint32_t x = 0; x < grid.x; ++x) {
            angles.clear();
            for (const float place :
                 {2 * (static_cast<float>(y) + 0.5f) / static_cast<float>(grid.y) - 1,
                  2 * (static_cast<float>(x) + 0.5f) / static_cast<float>(grid.x) - 1})
                for (uint32_t i = 0; i < quarter; ++i) {
                    const float frequency = std::pow(
                        config_.rope_theta, -static_cast<float>(i) / static_cast<float>(quarter));
                    angles.push_back(2 * std::numbers::pi_v<float> * place * frequency);
                }
            for (float angle : angles) rope.push_back(std::cos(angle));
            for (float angle : angles) rope.push_back(std::sin(angle));
        }
    return rope;
}

void Dino::prepare(Size picture) {
    grid_ = config_.grid_of(picture);
    start_.prepare(grid_, 1, tokens(), config_.hidden, [&](uint32_t) { return start_of(grid_); });
    if (config_.positions == DinoConfig::Positions::rotary)
        rope_.prepare(grid_, 1, area(grid_), config_.head_size(),
                      [&](uint32_t) { return rope_of(grid_); });
}

// z' = z + scale1 MSA(LN(z))
void Dino::attend(Commands& c, ResidualStream& z, const Block& w, uint32_t layer, Tap& tap) const {
    auto scope = c.scope("attend");
    const Tensor qkv = z.norm_linear(c, w.qkv);
    const uint32_t dim = qkv.columns / 3;
    if (config_.positions == DinoConfig::Positions::rotary)
        rope(c, qkv.slice_columns(0, 2 * dim).slice_rows(config_.prefix_tokens(), area(grid_)),
             {rope_[0], 2 * config_.heads, config_.head_size()});
    const Tensor q = qkv.slice_columns(0, dim);
    const Tensor k = qkv.slice_columns(dim, dim);
    const Tensor v = qkv.slice_columns(2 * dim, dim);
    const Heads heads{config_.heads, 1.0f / std::sqrt(static_cast<float>(config_.head_size()))};
    tap.attention(c, layer, q, k, heads);
    tap.values(c, layer, v);
    if (tap.skips_attention(layer)) return;
    z.add(c, tap.heads(c, layer, attention(c, q, k, v, heads), heads), w.out);
}

// z = z' + scale2 MLP(LN(z'))
void Dino::mlp(Commands& c, ResidualStream& z, const Block& w) const {
    auto scope = c.scope("mlp");
    const Tensor inner =
        config_.gated ? glu(c, z.norm_linear(c, w.fc1), w.fc2.weight.columns, config_.activation)
                      : z.norm_linear(c, w.fc1, config_.activation);
    z.add(c, inner, w.fc2);
}

Tensor Dino::embed(Commands& c, const Tensor& patches) const {
    const Tensor z = c.scratch(patches.batch, tokens(), config_.hidden, Type::f32);
    auto scope = c.scope("embed");
    copy(c, z, start_[0]);
    linear_add(c, z.slice_rows(config_.prefix_tokens(), patches.rows), patches, patch_embedding_);
    return z;
}

void Dino::block(Commands& c, ResidualStream& z, uint32_t index, Tap& tap) const {
    attend(c, z, blocks_[index], index, tap);
    if (!tap.skips_mlp(index)) mlp(c, z, blocks_[index]);
}

Tensor Dino::encode(Commands& c, const Tensor& patches, Tap& tap) const {
    const Tensor z = tap.tokens(c, embed(c, patches));
    tap.hidden(c, 0, z);
    ResidualStream stream(c, z, type());
    for (uint32_t i = 0; i < config_.layers; ++i) {
        block(c, stream, i, tap);
        tap.hidden(c, i + 1, z);
    }
    return z;
}

}  // namespace saccade
