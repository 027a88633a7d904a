#include "models/backbone/dino_config.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "models/backbone/config.h"

namespace saccade {

namespace {

// "Dinov2ForImageClassification" has a classifier, "Dinov2Model" and "Dinov2Backbone" have none.
bool has_classifier(const JsonFields& fields, const ModelConfig& common) {
    bool bare = common.architectures.empty();
    for (const std::string& name : common.architectures) {
        if (name.ends_with("ForImageClassification")) return !common.labels.empty();
        bare = bare || name.ends_with("Model") || name.ends_with("Backbone");
    }
    if (!bare)
        fields.refuse("architectures", "names " + in_quotes(common.architectures.front()) +
                                           ": the model is for another task");
    return false;
}

void read_second(const JsonFields& fields, DinoConfig& config) {
    const double ratio = fields.number("mlp_ratio", 0.01, 64, 4);
    config.intermediate = static_cast<uint32_t>(config.hidden * ratio);
    config.gated = fields.flag("use_swiglu_ffn", false);
    if (config.gated) {
        config.intermediate = (config.intermediate * 2 / 3 + 7) / 8 * 8;
        config.activation = Activation::silu;
    }
    config.query_bias = config.key_bias = config.value_bias = fields.flag("qkv_bias", true);
    if (config.intermediate == 0) fields.refuse("mlp_ratio", "makes an MLP without columns");
}

void read_third(const JsonFields& fields, DinoConfig& config) {
    config.third = true;
    config.intermediate = fields.whole("intermediate_size", {1, 262144}, 1536);
    config.gated = fields.flag("use_gated_mlp", false);
    config.query_bias = fields.flag("query_bias", true);
    config.key_bias = fields.flag("key_bias", false);
    config.value_bias = fields.flag("value_bias", true);
    config.out_bias = fields.flag("proj_bias", true);
    config.mlp_bias = fields.flag("mlp_bias", true);
    config.registers = fields.whole("num_register_tokens", {0, 1024}, 0);
    config.positions = DinoConfig::Positions::rotary;
    config.rope_theta = static_cast<float>(fields.number("rope_theta", 1e-3, 1e9, 100));
    if (config.head_size() % 4 != 0)
        fields.refuse("num_attention_heads", "makes heads of " +
                                                 std::to_string(config.head_size()) +
                                                 " columns; RoPE needs a multiple of 4");
}

}  // namespace

DinoConfig read_dino_config(const Json& json, const std::string& where) {
    const JsonFields fields(json, where);
    const ModelConfig common = read_model_config(fields);
    const bool third = common.model_type == "dinov3_vit";
    const bool with_registers = common.model_type == "dinov2_with_registers";
    if (!third && !with_registers && common.model_type != "dinov2")
        fields.refuse("model_type", in_quotes(common.model_type) + " is not a DINO");

    DinoConfig config;
    config.hidden = fields.whole("hidden_size", {1, 65536}, third ? 384 : 768);
    config.layers = fields.whole("num_hidden_layers", {1, 1024}, 12);
    config.heads = fields.whole("num_attention_heads", {1, 1024}, third ? 6 : 12);
    config.activation = activation_named(fields.text("hidden_act", "gelu"), where);
    config.norm_eps =
        static_cast<float>(fields.number("layer_norm_eps", 0, 1, third ? 1e-5 : 1e-6));
    const uint32_t usual = third || with_registers ? 16 : 14;
    const auto image = fields.extent("image_size", {1, 16384}, HeightWidth{224, 224});
    const auto patch = fields.extent("patch_size", {1, 1024}, HeightWidth{usual, usual});
    config.image = {image.width, image.height};
    config.patch = {patch.width, patch.height};
    require_whole_heads(fields, "hidden_size", config.hidden, "num_attention_heads", config.heads);
    require_rgb(fields);
    if (config.patch.x > config.image.x || config.patch.y > config.image.y)
        fields.refuse("patch_size", "is larger than image_size");

    if (third) {
        read_third(fields, config);
    } else {
        read_second(fields, config);
        const Size grid = config.grid_of(config.image);
        if (grid.x != grid.y)
            fields.refuse("image_size", "is not square: its positions cannot be resized");
    }
    if (with_registers) {
        config.registers = fields.whole("num_register_tokens", {0, 1024}, 4);
        config.positions = DinoConfig::Positions::resized_antialiased;
    }
    if (has_classifier(fields, common)) config.labels = common.labels;
    config.prefix = common.model_type + ".";
    return config;
}

void follow_authors(DinoConfig& config) {
    if (config.positions == DinoConfig::Positions::resized) config.position_offset = 0.1;
}

}  // namespace saccade
