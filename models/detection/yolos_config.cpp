#include "models/detection/yolos_config.h"

#include "models/backbone/config.h"

namespace saccade {

YolosConfig read_yolos_config(const Json& json, const std::string& where) {
    const JsonFields fields(json, where);
    ModelConfig common = read_model_config(fields);
    require_architecture(fields, common, "yolos", "YolosForObjectDetection");

    YolosConfig config;
    config.hidden = fields.whole("hidden_size", {1, 65536}, 768);
    config.layers = fields.whole("num_hidden_layers", {1, 1024}, 12);
    config.heads = fields.whole("num_attention_heads", {1, 1024}, 12);
    config.intermediate = fields.whole("intermediate_size", {1, 262144}, 3072);
    config.activation = activation_named(fields.text("hidden_act", "gelu"), where);
    config.norm_eps = static_cast<float>(fields.number("layer_norm_eps", 0.0, 1.0, 1e-12));
    config.qkv_bias = fields.flag("qkv_bias", true);
    config.patch = fields.whole("patch_size", {1, 1024}, 16);
    const HeightWidth image = fields.extent("image_size", {1, 16384}, HeightWidth{512, 864});
    config.grid = {image.width / config.patch, image.height / config.patch};
    config.detection_tokens = fields.whole("num_detection_tokens", {1, 65536}, 100);
    config.mid_positions = fields.flag("use_mid_position_embeddings", true);
    config.labels = std::move(common.labels);

    require_whole_heads(fields, "hidden_size", config.hidden, "num_attention_heads", config.heads);
    require_labels(config.labels);
    require_rgb(fields);
    if (area(config.grid) == 0) fields.refuse("patch_size", "is larger than image_size");
    return config;
}

}  // namespace saccade
