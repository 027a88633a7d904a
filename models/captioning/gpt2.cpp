#include "models/captioning/gpt2.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "gpu/ops/words.h"
#include "models/backbone/config.h"

namespace saccade {

Gpt2Config read_gpt2_config(const JsonFields& fields) {
    const std::string type = fields.text("model_type");
    if (type != "gpt2")
        fields.refuse("model_type", in_quotes(type) + " is not supported; supported: gpt2");
    Gpt2Config config;
    config.form.hidden = fields.whole("n_embd", {1, 65536}, 768);
    config.form.layers = fields.whole("n_layer", {1, 1024}, 12);
    config.form.heads = fields.whole("n_head", {1, 1024}, 12);
    config.form.vocabulary = fields.whole("vocab_size", {2, 10'000'000}, 50257);
    config.form.positions = fields.whole("n_positions", {2, 1'000'000}, 1024);
    config.form.intermediate = fields.whole("n_inner", {1, 262144}, 4 * config.form.hidden);
    config.activation =
        activation_named(fields.text("activation_function", "gelu_new"), fields.where());
    config.norm_eps = static_cast<float>(fields.number("layer_norm_epsilon", 0.0, 1.0, 1e-5));
    config.scale_scores = fields.flag("scale_attn_weights", true);
    config.scale_scores_by_layer = fields.flag("scale_attn_by_inverse_layer_idx", false);
    require_whole_heads(fields, "n_embd", config.form.hidden, "n_head", config.form.heads);
    if (!fields.flag("add_cross_attention", false))
        fields.refuse("add_cross_attention", "is false: such a decoder cannot see a picture");
    return config;
}

Gpt2::Gpt2(WeightLoader& weights, const Gpt2Config& config, const std::string& prefix)
    : TextDecoder(config.form), config_(config) {
    const std::string in = prefix + ".transformer.";
    const uint32_t dim = config.form.hidden, head = config.form.head_size();
    const uint32_t words = config.form.vocabulary, positions = config.form.positions;
    words_ = weights.tensor(in + "wte.weight", {words, dim}, words, dim, weights.type());
    positions_ = weights.tensor(in + "wpe.weight", {positions, dim}, positions, dim, Type::f32);

    auto project = [&](const std::string& name, uint32_t parts) {
        return weights.linear(name, {.out = parts * dim,
                                     .in = dim,
                                     .out_head = head,
                                     .transposed = true,
                                     .rows = Rows::few});
    };
    auto join = [&](const std::string& name) {
        return weights.linear(
            name, {.out = dim, .in = dim, .in_head = head, .transposed = true, .rows = Rows::few});
    };
    std::vector<std::string> memory;
    for (uint32_t i = 0; i < config.form.layers; ++i) {
        const std::string block = in + "h." + std::to_string(i);
        const std::string cross = block + ".crossattention";
        blocks_.push_back({
            .norm1 = weights.norm(block + ".ln_1", dim, config.norm_eps),
            .norm_cross = weights.norm(block + ".ln_cross_attn", dim, config.norm_eps),
            .norm2 = weights.norm(block + ".ln_2", dim, config.norm_eps),
            .qkv = project(block + ".attn.c_attn", 3),
            .out = join(block + ".attn.c_proj"),
            .cross_q = project(cross + ".q_attn", 1),
            .cross_out = join(cross + ".c_proj"),
            .fc1 = weights.linear(block + ".mlp.c_fc", {.out = config.form.intermediate,
                                                        .in = dim,
                                                        .transposed = true,
                                                        .rows = Rows::few}),
            .fc2 = weights.linear(block + ".mlp.c_proj", {.out = dim,
                                                          .in = config.form.intermediate,
                                                          .transposed = true,
                                                          .rows = Rows::few}),
        });
        memory.push_back(cross + ".c_attn");
    }
    memory_ =
        weights.stacked(memory, {.out = 2 * dim, .in = dim, .out_head = head, .transposed = true});
    norm_ = weights.norm(in + "ln_f", dim, config.norm_eps);
    if (weights.source().optional(prefix + ".lm_head.weight", {words, dim}))
        head_ = weights.linear(prefix + ".lm_head",
                               {.out = words, .in = dim, .bias = false, .rows = Rows::few});
    else
        head_ = {words_, {}};
}

Heads Gpt2::heads(uint32_t layer) const {
    Heads result = TextDecoder::heads(layer);
    if (!config_.scale_scores) result.scale = 1.0f;
    if (config_.scale_scores_by_layer) result.scale /= static_cast<float>(layer + 1);
    return result;
}

void Gpt2::read(Commands& c, const Tensor& logits, const Tensor& ids, const DecoderState& state,
                uint32_t first) const {
    auto scope = c.scope("GPT-2");
    const Tensor x = embedding(c, ids, words_, positions_.slice_rows(first, ids.columns));
    for (uint32_t i = 0; i < blocks_.size(); ++i) {
        auto block = c.scope("block");
        const Block& w = blocks_[i];
        linear_add(c, x, self_attention(c, x, w.norm1, w.qkv, state, i, first), w.out);
        linear_add(c, x, cross_attention(c, x, w.norm_cross, w.cross_q, state, i, first),
                   w.cross_out);
        linear_add(c, x, norm_linear(c, x, w.norm2, w.fc1, config_.activation), w.fc2);
    }
    norm_linear_into(c, logits, x.slice_rows(x.rows - 1, 1), norm_, head_);
}

}  // namespace saccade
