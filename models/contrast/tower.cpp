#include "models/contrast/tower.h"

#include <array>

#include "models/backbone/config.h"

namespace saccade {

TowerForm read_tower_form(const JsonFields& fields, const TowerForm& otherwise) {
    const EncoderForm& block = otherwise.block;
    TowerForm form{
        .layers = fields.whole("num_hidden_layers", {1, 1024}, otherwise.layers),
        .block = {
            .hidden = fields.whole("hidden_size", {1, 65536}, block.hidden),
            .heads = fields.whole("num_attention_heads", {1, 1024}, block.heads),
            .intermediate = fields.whole("intermediate_size", {1, 262144}, block.intermediate),
            .norm_eps =
                static_cast<float>(fields.number("layer_norm_eps", 0.0, 1.0, block.norm_eps)),
            .qkv_bias = true,
            .activation = fields.has("hidden_act")
                              ? activation_named(fields.text("hidden_act"), fields.where())
                              : block.activation,
        }};
    require_whole_heads(fields, "hidden_size", form.block.hidden, "num_attention_heads",
                        form.block.heads);
    return form;
}

Tower::Tower(WeightLoader& weights, const std::string& prefix, const TowerForm& form)
    : form_(form) {
    const EncoderForm& block = form.block;
    const uint32_t dim = block.hidden, head = block.head_size();
    for (uint32_t i = 0; i < form.layers; ++i) {
        const std::string in = prefix + ".encoder.layers." + std::to_string(i);
        const std::array<std::string, 3> qkv = {in + ".self_attn.q_proj", in + ".self_attn.k_proj",
                                                in + ".self_attn.v_proj"};
        blocks_.push_back({
            .qkv = weights.norm_linear(in + ".layer_norm1", block.norm_eps, qkv,
                                       {.out = dim, .in = dim, .out_head = head}),
            .out = weights.linear(in + ".self_attn.out_proj",
                                  {.out = dim, .in = dim, .in_head = head}),
            .fc1 = weights.norm_linear(in + ".layer_norm2", block.norm_eps, in + ".mlp.fc1",
                                       {.out = block.intermediate, .in = dim}),
            .fc2 = weights.linear(in + ".mlp.fc2", {.out = dim, .in = block.intermediate}),
        });
    }
}

void Tower::encode(Commands& c, const Tensor& z, Tap& tap, const AttentionMask& mask) const {
    tap.hidden(c, 0, z);
    ResidualStream stream(c, z, blocks_[0].out.weight.type);
    for (uint32_t i = 0; i < form_.layers; ++i) {
        encoder_block(c, stream, blocks_[i], form_.block, i, tap, mask);
        tap.hidden(c, i + 1, z);
    }
}

double Tower::multiply_adds(double tokens) const {
    const double dim = form_.block.hidden;
    return form_.layers *
           (tokens * dim * (4 * dim + 2.0 * form_.block.intermediate) + 2 * tokens * tokens * dim);
}

}  // namespace saccade
