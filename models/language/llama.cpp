#include "models/language/llama.h"

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "gpu/ops/words.h"
#include "models/backbone/config.h"

namespace saccade {

LlamaConfig read_llama_config(const JsonFields& fields) {
    if (const std::string type = fields.text("model_type", "llama"); type != "llama")
        fields.refuse("model_type", in_quotes(type) + " is not supported; only llama is");
    LlamaConfig config{
        .form = {.layers = fields.whole("num_hidden_layers", {1, 1024}, 32),
                 .hidden = fields.whole("hidden_size", {1, 65536}, 4096),
                 .heads = fields.whole("num_attention_heads", {1, 1024}, 32),
                 .intermediate = fields.whole("intermediate_size", {1, 262144}, 11008),
                 .vocabulary = fields.whole("vocab_size", {2, 10'000'000}, 32000),
                 .positions = fields.whole("max_position_embeddings", {2, 1'000'000}, 2048)},
        .norm_eps = static_cast<float>(fields.number("rms_norm_eps", 0.0, 1.0, 1e-6)),
        .attention_bias = fields.flag("attention_bias", false),
        .mlp_bias = fields.flag("mlp_bias", false),
        .activation = activation_named(fields.text("hidden_act", "silu"), fields.where()),
    };
    const uint32_t heads = config.form.heads;
    config.kv_heads = fields.whole("num_key_value_heads", {1, 1024}, heads);
    if (heads % config.kv_heads != 0)
        fields.refuse("num_key_value_heads", "does not divide num_attention_heads");
    if (!fields.has("head_dim"))
        require_whole_heads(fields, "hidden_size", config.form.hidden, "num_attention_heads",
                            heads);
    config.head = fields.whole("head_dim", {2, 128}, config.form.hidden / heads);
    if (config.head % 2 != 0) fields.refuse("head_dim", "is odd; RoPE rotates pairs of columns");

    config.theta = fields.number("rope_theta", 1.0, 1e12, 10000.0);
    for (const char* key : {"rope_parameters", "rope_scaling"}) {
        if (!fields.has(key)) continue;
        const JsonFields rope = fields.object(key);
        const std::string type = rope.text(rope.has("rope_type") ? "rope_type" : "type", "default");
        if (type != "default")
            rope.refuse("rope_type", in_quotes(type) + " is not supported; only default is");
        config.theta = rope.number("rope_theta", 1.0, 1e12, config.theta);
    }
    return config;
}

Llama::Llama(WeightLoader& weights, const std::string& prefix, const LlamaConfig& config)
    : TextDecoder(config.form), config_(config) {
    const uint32_t words = config.form.vocabulary, dim = config.form.hidden;
    words_ =
        weights.tensor(prefix + ".embed_tokens.weight", {words, dim}, words, dim, weights.type());
    for (uint32_t i = 0; i < config.form.layers; ++i)
        load_block(weights, prefix + ".layers." + std::to_string(i));
    norm_ = {weights.tensor(prefix + ".norm.weight", {dim}, 1, dim, Type::f32), config.norm_eps};
    if (weights.source().optional("lm_head.weight", {words, dim}))
        head_ =
            weights.linear("lm_head", {.out = words, .in = dim, .bias = false, .rows = Rows::few});
    else
        head_ = {words_, {}};

    const uint32_t positions = config.form.positions, pairs = config.head / 2;
    std::vector<float> turns(size_t(positions) * config.head);
    for (uint32_t i = 0; i < pairs; ++i) {
        const double part = 2.0 * i / config.head;
        const auto speed = static_cast<float>(1.0 / std::pow(config.theta, part));
        for (uint32_t at = 0; at < positions; ++at) {
            const float angle = speed * static_cast<float>(at);  // in fp32, as in transformers
            float* const row = &turns[size_t(at) * config.head];
            row[i] = static_cast<float>(std::cos(double(angle)));
            row[pairs + i] = static_cast<float>(std::sin(double(angle)));
        }
    }
    rotations_ = weights.table(turns, positions, config.head);
    nothing_ = weights.table(std::vector<float>(dim), 1, dim);
}

void Llama::load_block(WeightLoader& weights, const std::string& in) {
    const uint32_t dim = config_.form.hidden, head = config_.head, wide = config_.form.intermediate;
    const uint32_t q = config_.form.heads * head, kv = config_.kv_heads * head;
    const bool bias = config_.attention_bias, mlp_bias = config_.mlp_bias;
    auto project = [&](const char* name, uint32_t out) {
        return WeightLoader::Part{
            in + ".self_attn." + name,
            {.out = out, .in = dim, .out_head = head, .bias = bias, .rows = Rows::few}};
    };
    const std::array<WeightLoader::Part, 3> qkv = {project("q_proj", q), project("k_proj", kv),
                                                   project("v_proj", kv)};
    const std::array<std::string, 2> gate_up = {in + ".mlp.gate_proj", in + ".mlp.up_proj"};
    auto norm = [&](const char* name) {
        return RmsNorm{weights.tensor(in + name, {dim}, 1, dim, Type::f32), config_.norm_eps};
    };
    blocks_.push_back({
        .norm1 = norm(".input_layernorm.weight"),
        .norm2 = norm(".post_attention_layernorm.weight"),
        .qkv = weights.joined(qkv),
        .out =
            weights.linear(in + ".self_attn.o_proj",
                           {.out = dim, .in = q, .in_head = head, .bias = bias, .rows = Rows::few}),
        .gate_up =
            weights.stacked(gate_up, {.out = wide, .in = dim, .bias = mlp_bias, .rows = Rows::few}),
        .down = weights.linear(in + ".mlp.down_proj",
                               {.out = dim, .in = wide, .bias = mlp_bias, .rows = Rows::few}),
    });
}

uint32_t Llama::past_columns() const {
    return config_.form.layers * (config_.q_width() + 2 * config_.kv_width());
}

double Llama::multiply_adds() const {
    const double dim = config_.form.hidden, head = config_.head;
    const double block = dim * head * 2 * (config_.form.heads + config_.kv_heads) +
                         3 * dim * config_.form.intermediate;
    return config_.form.layers * block + dim * config_.form.vocabulary;
}

void Llama::set_picture_words(std::vector<uint32_t> words) { picture_words_ = std::move(words); }

Heads Llama::heads(uint32_t) const {
    return {config_.form.heads, 1.0f / std::sqrt(static_cast<float>(config_.head)),
            config_.form.heads / config_.kv_heads};
}

AttentionLayer Llama::cross_attention_layer(const DecoderState& state, uint32_t layer) const {
    const uint32_t q = config_.q_width(), kv = config_.kv_width(), at = layer * (q + 2 * kv);
    return {state.past.slice_columns(at, q), state.past.slice_columns(at + q, kv), heads(layer)};
}

// Replaces the embeddings of the picture's words, which are consecutive within each tile. x: the
// embeddings of the words from `first` on.
void Llama::put_picture(Commands& c, const Tensor& x, uint32_t first, const Tensor& memory) const {
    if (picture_words_.empty() || picture_words_.front() < first ||
        picture_words_.back() >= first + x.rows)
        return;
    for (uint32_t i = 0; i < picture_words_.size();) {
        uint32_t count = 1;
        while (i + count < picture_words_.size() &&
               picture_words_[i + count] == picture_words_[i] + count)
            ++count;
        copy(c, x.slice_rows(picture_words_[i] - first, count), memory.slice_rows(i, count));
        i += count;
    }
}

// x += W_o softmax(R q (R k)^T) v of RMSNorm(x); R rotates by the position (RoPE).
void Llama::attend(Commands& c, const Tensor& x, const Block& w, const DecoderState& state,
                   uint32_t layer, uint32_t first) const {
    auto scope = c.scope("attend");
    const uint32_t q = config_.q_width(), kv = config_.kv_width(), at = layer * (q + 2 * kv);
    const Tensor fresh = state.past.slice_rows(first, x.rows);
    rotated_linear_into(c, fresh.slice_columns(at, q + 2 * kv), x, w.norm1, w.qkv,
                        {rotations_.slice_rows(first, x.rows),
                         config_.form.heads + config_.kv_heads, config_.head});
    const Tensor all = state.past.slice_rows(0, first + x.rows);
    const Tensor y = attention(c, fresh.slice_columns(at, q), all.slice_columns(at + q, kv),
                               all.slice_columns(at + q + kv, kv), heads(layer), x.rows > 1);
    linear_add(c, x, state.heads(c, layer, y, heads(layer)), w.out);
}

// x += W_down (act(W_gate y) * W_up y), y = RMSNorm(x)
void Llama::feed_forward(Commands& c, const Tensor& x, const Block& w) const {
    auto scope = c.scope("mlp");
    linear_add(c, x, gated_linear(c, x, w.norm2, w.gate_up, config_.activation), w.down);
}

void Llama::read(Commands& c, const Tensor& logits, const Tensor& ids, const DecoderState& state,
                 uint32_t first) const {
    auto scope = c.scope("Llama");
    Tap no_tap;
    norm_linear_into(c, logits, read_blocks(c, ids, state, first, no_tap), norm_, head_);
}

void Llama::read(Commands& c, const Tensor& logits, const Tensor& ids, const DecoderState& state,
                 uint32_t first, Tap& tap) const {
    auto scope = c.scope("Llama");
    const Tensor y = rms_norm(c, read_blocks(c, ids, state, first, tap), norm_, head_.weight.type);
    tap.hidden(c, static_cast<uint32_t>(blocks_.size()), y);
    linear_into(c, logits, y, head_);
}

Tensor Llama::read_blocks(Commands& c, const Tensor& ids, const DecoderState& state, uint32_t first,
                          Tap& tap) const {
    Tensor nowhere = nothing_;
    nowhere.rows = ids.columns;
    nowhere.row_stride = 0;  // the same zeros for every word: RoPE has the positions
    const Tensor x = embedding(c, ids, words_, nowhere);
    put_picture(c, x, first, state.memory);
    for (uint32_t i = 0; i < blocks_.size(); ++i) {
        tap.hidden(c, i, x);
        attend(c, x, blocks_[i], state, i, first);
        feed_forward(c, x, blocks_[i]);
    }
    return x.slice_rows(x.rows - 1, 1);
}

}  // namespace saccade
