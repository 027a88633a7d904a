#include "models/captioning/blip.h"

#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "gpu/ops/words.h"
#include "models/backbone/config.h"

namespace saccade {

BlipConfig read_blip_config(const Json& json, const std::string& where, const char* architecture) {
    const JsonFields fields(json, where);
    require_architecture(fields, read_model_config(fields), "blip", architecture);
    BlipConfig config;
    const JsonFields vision = fields.object("vision_config");
    config.image = vision.whole("image_size", {1, 16384}, 384);
    config.patch = vision.whole("patch_size", {1, 1024}, 16);
    config.vision_layers = vision.whole("num_hidden_layers", {1, 1024}, 12);
    config.vision = {
        .hidden = vision.whole("hidden_size", {1, 65536}, 768),
        .heads = vision.whole("num_attention_heads", {1, 1024}, 12),
        .intermediate = vision.whole("intermediate_size", {1, 262144}, 3072),
        .norm_eps = static_cast<float>(vision.number("layer_norm_eps", 0.0, 1.0, 1e-5)),
        .qkv_bias = true,
        .activation = activation_named(vision.text("hidden_act", "gelu"), vision.where()),
    };
    require_whole_heads(vision, "hidden_size", config.vision.hidden, "num_attention_heads",
                        config.vision.heads);
    require_rgb(vision);
    if (config.grid() == 0) vision.refuse("patch_size", "is larger than image_size");

    const JsonFields text = fields.object("text_config");
    config.text = {
        .layers = text.whole("num_hidden_layers", {1, 1024}, 12),
        .hidden = text.whole("hidden_size", {1, 65536}, 768),
        .heads = text.whole("num_attention_heads", {1, 1024}, 8),
        .intermediate = text.whole("intermediate_size", {1, 262144}, 3072),
        .vocabulary = text.whole("vocab_size", {2, 10'000'000}, 30524),
        .positions = text.whole("max_position_embeddings", {2, 1'000'000}, 512),
    };
    config.text_norm_eps = static_cast<float>(text.number("layer_norm_eps", 0.0, 1.0, 1e-12));
    config.text_activation = activation_named(text.text("hidden_act", "gelu"), text.where());
    require_whole_heads(text, "hidden_size", config.text.hidden, "num_attention_heads",
                        config.text.heads);
    return config;
}

BlipBert load_blip_bert(WeightLoader& weights, const std::string& in, const BlipConfig& config,
                        uint32_t columns) {
    BlipBert bert;
    const uint32_t dim = config.text.hidden, head = config.text.head_size();
    const uint32_t words = config.text.vocabulary, positions = config.text.positions;
    const float eps = config.text_norm_eps;
    bert.words = weights.tensor(in + "embeddings.word_embeddings.weight", {words, dim}, words, dim,
                                weights.type());
    bert.positions = weights.tensor(in + "embeddings.position_embeddings.weight", {positions, dim},
                                    positions, dim, Type::f32);
    bert.embedding_norm = weights.norm(in + "embeddings.LayerNorm", dim, eps);

    const LinearForm project{.out = dim, .in = dim, .out_head = head, .rows = Rows::few};
    const LinearForm join{.out = dim, .in = dim, .in_head = head, .rows = Rows::few};
    std::vector<std::string> memory;
    for (uint32_t i = 0; i < config.text.layers; ++i) {
        const std::string layer = in + "encoder.layer." + std::to_string(i);
        const std::string self = layer + ".attention.", cross = layer + ".crossattention.";
        const std::array<std::string, 3> qkv = {self + "self.query", self + "self.key",
                                                self + "self.value"};
        bert.layers.push_back({
            .qkv = weights.stacked(qkv, project),
            .out = weights.linear(self + "output.dense", join),
            .cross_q = weights.linear(cross + "self.query", project),
            .cross_out = weights.linear(cross + "output.dense", join),
            .fc1 = weights.linear(layer + ".intermediate.dense",
                                  {.out = config.text.intermediate, .in = dim, .rows = Rows::few}),
            .fc2 = weights.linear(layer + ".output.dense",
                                  {.out = dim, .in = config.text.intermediate, .rows = Rows::few}),
            .norm1 = weights.norm(self + "output.LayerNorm", dim, eps),
            .norm_cross = weights.norm(cross + "output.LayerNorm", dim, eps),
            .norm2 = weights.norm(layer + ".output.LayerNorm", dim, eps),
        });
        memory.push_back(cross + "self.key");
        memory.push_back(cross + "self.value");
    }
    bert.memory = weights.stacked(memory, {.out = dim, .in = columns, .out_head = head});
    return bert;
}

BlipText::BlipText(WeightLoader& weights, const BlipConfig& config, uint32_t columns)
    : TextDecoder(config.text),
      activation_(config.text_activation),
      bert_(load_blip_bert(weights, "text_decoder.bert.", config, columns)) {
    const std::string out = "text_decoder.cls.predictions.";
    const uint32_t dim = config.text.hidden, words = config.text.vocabulary;
    memory_ = bert_.memory;
    transform_ =
        weights.linear(out + "transform.dense", {.out = dim, .in = dim, .rows = Rows::few});
    transform_norm_ = weights.norm(out + "transform.LayerNorm", dim, config.text_norm_eps);
    if (weights.source().optional(out + "decoder.weight", {words, dim}))
        head_ = weights.linear(out + "decoder",
                               {.out = words, .in = dim, .bias = false, .rows = Rows::few});
    else
        head_ = {bert_.words, {}};
    const bool own = weights.source().optional(out + "decoder.bias", {words}).has_value();
    head_.bias =
        weights.tensor(out + (own ? "decoder.bias" : "bias"), {words}, 1, words, Type::f32);
}

// Post-norm: x' = LN(x) + f(LN(x)). Each part takes x and the norm that is still to be applied,
// which its first product computes on the fly.
void BlipText::read(Commands& c, const Tensor& logits, const Tensor& ids, const DecoderState& state,
                    uint32_t first) const {
    auto scope = c.scope("BLIP text");
    Tensor x = embedding(c, ids, bert_.words, bert_.positions.slice_rows(first, ids.columns));
    Tensor next = c.scratch(x.batch, x.rows, x.columns, Type::f32);
    const Norm* norm = &bert_.embedding_norm;
    auto add = [&](const Tensor& part, const Linear& out, const Norm& then) {
        layer_norm_into(c, next, x, *norm);
        linear_add(c, next, part, out);
        std::swap(x, next);
        norm = &then;
    };
    for (uint32_t i = 0; i < bert_.layers.size(); ++i) {
        auto layer = c.scope("layer");
        const BlipBert::Layer& w = bert_.layers[i];
        add(self_attention(c, x, *norm, w.qkv, state, i, first), w.out, w.norm1);
        add(cross_attention(c, x, *norm, w.cross_q, state, i, first), w.cross_out, w.norm_cross);
        add(norm_linear(c, x, *norm, w.fc1, activation_), w.fc2, w.norm2);
    }

    // The prediction head
    const Tensor last = x.slice_rows(x.rows - 1, 1);
    const Tensor y = c.scratch(last.batch, 1, last.columns, Type::f32);
    norm_linear_into(c, y, last, *norm, transform_, activation_);
    norm_linear_into(c, logits, y, transform_norm_, head_);
}

Blip::Blip(WeightLoader& weights, const BlipConfig& config, uint32_t columns)
    : config_(config), text_(weights, config, columns) {
    const std::string in = "vision_model.";
    const EncoderForm& form = config.vision;
    const uint32_t dim = form.hidden, head = form.head_size(), tokens = config.tokens();
    patch_embedding_ = weights.linear(in + "embeddings.patch_embedding",
                                      {.out = dim,
                                       .in = 3 * config.patch * config.patch,
                                       .stored = {dim, 3, config.patch, config.patch}});
    start_ = weights.tensor(in + "embeddings.position_embedding", {1, tokens, dim}, tokens, dim,
                            Type::f32);
    weights.add_to(start_.slice_rows(0, 1), in + "embeddings.class_embedding", {1, 1, dim});
    for (uint32_t i = 0; i < config.vision_layers; ++i) {
        const std::string layer = in + "encoder.layers." + std::to_string(i);
        blocks_.push_back({
            .qkv =
                weights.norm_linear(layer + ".layer_norm1", form.norm_eps, layer + ".self_attn.qkv",
                                    {.out = 3 * dim, .in = dim, .out_head = head}),
            .out = weights.linear(layer + ".self_attn.projection",
                                  {.out = dim, .in = dim, .in_head = head}),
            .fc1 = weights.norm_linear(layer + ".layer_norm2", form.norm_eps, layer + ".mlp.fc1",
                                       {.out = form.intermediate, .in = dim}),
            .fc2 = weights.linear(layer + ".mlp.fc2", {.out = dim, .in = form.intermediate}),
        });
    }
    norm_ = weights.norm(in + "post_layernorm", dim, form.norm_eps);
}

PictureTokens Blip::picture() const {
    return {.input = {config_.image, config_.image},
            .patch = {config_.patch, config_.patch},
            .grid = {config_.grid(), config_.grid()},
            .first_cell = 1,
            .tokens = config_.tokens(),
            .columns = config_.vision.hidden};
}

void Blip::encode(Commands& c, const Tensor& encoded, const Tensor& patches, Tap& tap) const {
    auto scope = c.scope("BLIP vision");
    const Tensor z = c.scratch(patches.batch, config_.tokens(), config_.vision.hidden, Type::f32);
    copy(c, z, start_);
    linear_add(c, z.slice_rows(1, patches.rows), patches, patch_embedding_);
    const Tensor stay = tap.tokens(c, z);
    ResidualStream stream(c, stay, patch_embedding_.weight.type);
    for (uint32_t i = 0; i < blocks_.size(); ++i)
        encoder_block(c, stream, blocks_[i], config_.vision, i, tap);
    layer_norm_into(c, encoded, stay, norm_);
}

double Blip::multiply_adds() const {
    const double n = config_.tokens(), dim = config_.vision.hidden, text = config_.text.hidden;
    const double block = n * dim * (4 * dim + 2.0 * config_.vision.intermediate) + 2 * n * n * dim;
    return config_.vision_layers * block + (n - 1) * dim * 3 * config_.patch * config_.patch +
           2.0 * config_.text.layers * n * dim * text;
}

}  // namespace saccade
