#include <algorithm>
#include <nlohmann/json.hpp>

#include "models/backbone/config.h"
#include "models/detection/deformable/rf_detr.h"

namespace saccade {

namespace {

// A stage is named by the number of layers up to its end; the stem is 0.
std::vector<uint32_t> read_stages(const JsonFields& fields, uint32_t layers) {
    std::vector<uint32_t> stages;
    if (fields.has("out_indices")) {
        for (const Json& item : *fields.find("out_indices")) {
            int64_t index = item.is_number_integer() ? item.get<int64_t>() : -1000;
            if (index < 0) index += int64_t(layers) + 1;
            if (index < 0 || index > int64_t(layers))
                fields.refuse("out_indices", "names a layer that does not exist");
            stages.push_back(static_cast<uint32_t>(index));
        }
    } else if (const auto names = fields.texts("out_features"); !names.empty()) {
        for (const std::string& name : names) {
            uint32_t stage = 0;
            while (stage <= layers && name != (stage ? "stage" + std::to_string(stage) : "stem"))
                ++stage;
            if (stage > layers)
                fields.refuse("out_features",
                              "names " + in_quotes(name) + ", which is not a stage");
            stages.push_back(stage);
        }
    } else {
        stages = {layers};
    }
    if (stages.empty() || !std::ranges::is_sorted(stages) || stages.back() == 0)
        fields.refuse("out_indices", "does not list stages in their order");
    return stages;
}

WindowedDinov2Config read_backbone(const JsonFields& fields) {
    WindowedDinov2Config config;
    config.hidden = fields.whole("hidden_size", {8, 65536}, 768);
    const uint32_t layers = fields.whole("num_hidden_layers", {1, 1024}, 12);
    config.heads = fields.whole("num_attention_heads", {1, 1024}, 12);
    config.intermediate = config.hidden * fields.whole("mlp_ratio", {1, 64}, 4);
    config.activation = activation_named(fields.text("hidden_act", "gelu"), fields.where());
    config.norm_eps = static_cast<float>(fields.number("layer_norm_eps", 0.0, 1.0, 1e-6));
    config.qkv_bias = fields.flag("qkv_bias", true);
    config.final_norm = fields.flag("apply_layernorm", true);
    config.windows = fields.whole("num_windows", {1, 64}, 4);
    const auto image = fields.extent("image_size", {1, 16384}, HeightWidth{224, 224});
    const auto patch = fields.extent("patch_size", {1, 1024}, HeightWidth{14, 14});
    if (image.height != image.width || patch.height != patch.width || image.height < patch.height)
        fields.refuse("image_size", "and patch_size must be square, and the patch must be smaller");
    config.patch = patch.width;
    config.grid = image.width / patch.width;
    config.stages = read_stages(fields, layers);
    // Layers whose number is that of a stage have global attention, over all windows.
    config.whole.assign(layers, false);
    for (uint32_t i = 0; i < layers; ++i)
        config.whole[i] = config.windows == 1 || i > config.stages.back() ||
                          std::ranges::find(config.stages, i) != config.stages.end();
    if (fields.has("window_block_indexes") && config.windows > 1) {
        config.whole.assign(layers, true);
        for (const Json& item : *fields.find("window_block_indexes"))
            if (item.is_number_unsigned() && item.get<uint64_t>() < layers)
                config.whole[item.get<uint32_t>()] = false;
    }
    require_whole_heads(fields, "hidden_size", config.hidden, "num_attention_heads", config.heads);
    if (config.hidden % 8 != 0)
        fields.refuse("hidden_size", "is " + std::to_string(config.hidden) +
                                         "; only multiples of 8 are supported");
    for (const char* key : {"use_swiglu_ffn", "num_register_tokens"})
        if (const Json* value = fields.find(key); value && *value != false && *value != 0)
            fields.refuse(key, "is set; this option is not supported");
    if (!fields.flag("reshape_hidden_states", true))
        fields.refuse("reshape_hidden_states", "is false; this option is not supported");
    require_rgb(fields);
    return config;
}

}  // namespace

RfDetrConfig read_rf_detr_config(const Json& json, const std::string& where) {
    const JsonFields fields(json, where);
    ModelConfig common = read_model_config(fields);
    const bool masks = std::ranges::find(common.architectures, "RfDetrForInstanceSegmentation") !=
                       common.architectures.end();
    require_architecture(fields, common, "rf_detr",
                         masks ? "RfDetrForInstanceSegmentation" : "RfDetrForObjectDetection");
    const Json usual = {{"num_attention_heads", 6u},
                        {"out_features", {"stage2", "stage5", "stage8", "stage11"}},
                        {"hidden_size", 384u},
                        {"image_size", 518u}};
    const JsonFields backbone =
        fields.has("backbone_config") ? fields.object("backbone_config") : JsonFields(usual, where);
    const std::string type = backbone.text("model_type", "rf_detr_dinov2");
    if (type != "rf_detr_dinov2")
        backbone.refuse("model_type",
                        "is " + in_quotes(type) + "; only rf_detr_dinov2 is supported");

    RfDetrConfig config;
    config.backbone = read_backbone(backbone);
    config.dim = fields.whole("d_model", {8, 65536}, 256);
    config.layers = fields.whole("decoder_layers", {1, 1024}, 3);
    config.intermediate = fields.whole("decoder_ffn_dim", {1, 262144}, 2048);
    config.queries = fields.whole("num_queries", {1, 65536}, 300);
    config.groups = fields.whole("group_detr", {1, 1024}, 13);
    config.self_heads = fields.whole("decoder_self_attention_heads", {1, 1024}, 8);
    config.cross_heads = fields.whole("decoder_cross_attention_heads", {1, 1024}, 16);
    config.sampling.points = {fields.whole("decoder_n_points", {1, 255}, 4)};
    config.blocks = fields.whole("c2f_num_blocks", {0, 1024}, 3);
    config.hidden =
        static_cast<uint32_t>(config.dim * fields.number("hidden_expansion", 0.0, 64.0, 0.5));
    config.projector_activation =
        activation_named(fields.text("activation_function", "silu"), where);
    config.activation = activation_named(fields.text("decoder_activation_function", "relu"), where);
    config.norm_eps = static_cast<float>(fields.number("layer_norm_eps", 0.0, 1.0, 1e-5));
    if (masks)
        config.masks = SegmentationForm{
            .dim = config.dim,
            .blocks = config.layers,
            .intermediate = fields.whole("intermediate_size", {1, 262144}, 1024),
            .queries = most_masks,
            .ratio = fields.whole("mask_downsample_ratio", {1, 1024}, 4),
            .activation = activation_named(
                fields.text("segmentation_head_activation_function", "gelu"), where)};
    config.labels = std::move(common.labels);
    if (config.labels.empty()) fields.refuse("id2label", "is empty: there is nothing to find");
    require_whole_heads(fields, "d_model", config.dim, "decoder_self_attention_heads",
                        config.self_heads);
    require_whole_heads(fields, "d_model", config.dim, "decoder_cross_attention_heads",
                        config.cross_heads);
    if (config.dim % 8 != 0 || config.hidden % 8 != 0 || config.hidden == 0)
        fields.refuse("d_model",
                      "is " + std::to_string(config.dim) +
                          "; it and its part by hidden_expansion must be multiples of 8");
    if (fields.whole("num_feature_levels", {1, 64}, 1) != 1)
        fields.refuse("num_feature_levels", "is not 1; this option is not supported");
    if (!fields.flag("attention_bias", true))
        fields.refuse("attention_bias", "is false; this option is not supported");
    return config;
}

}  // namespace saccade
