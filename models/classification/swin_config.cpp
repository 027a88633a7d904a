#include "models/classification/swin_config.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "models/backbone/config.h"

namespace saccade {

namespace {

// A list of whole numbers, at least `least` each.
std::vector<uint32_t> numbers(const JsonFields& fields, const char* key, uint32_t least,
                              std::vector<uint32_t> fallback) {
    const Json* list = fields.find(key);
    if (!list) return fallback;
    std::vector<uint32_t> values;
    const bool whole = list->is_array() && !list->empty() && list->size() <= 16 &&
                       std::ranges::all_of(*list, [&](const Json& value) {
                           return value.is_number_unsigned() && value.get<uint64_t>() >= least &&
                                  value.get<uint64_t>() <= 1024;
                       });
    if (!whole)
        fields.refuse(key,
                      "must be a list of whole numbers from " + std::to_string(least) + " to 1024");
    for (const Json& value : *list) values.push_back(value.get<uint32_t>());
    return values;
}

bool has_classifier(const JsonFields& fields, const ModelConfig& common) {
    if (common.architectures.empty()) return !common.labels.empty();
    const std::string& name = common.architectures.front();
    if (name.ends_with("ForImageClassification")) return !common.labels.empty();
    if (!name.ends_with("Model") && !name.ends_with("Backbone"))
        fields.refuse("architectures",
                      "names " + in_quotes(name) + ": the model is for another task");
    return false;
}

}  // namespace

uint32_t SwinConfig::layers() const {
    uint32_t sum = 0;
    for (const Stage& stage : stages) sum += stage.depth;
    return sum;
}

SwinConfig read_swin_config(const Json& json, const std::string& where) {
    const JsonFields fields(json, where);
    const ModelConfig common = read_model_config(fields);
    SwinConfig config;
    config.second = common.model_type == "swinv2";
    if (!config.second && common.model_type != "swin")
        fields.refuse("model_type", in_quotes(common.model_type) + " is not a Swin");
    config.prefix = common.model_type + ".";

    const auto image = fields.extent("image_size", {1, 16384}, HeightWidth{224, 224});
    const auto patch = fields.extent("patch_size", {1, 1024}, HeightWidth{4, 4});
    config.image = {image.width, image.height};
    config.patch = {patch.width, patch.height};
    config.mlp_ratio = static_cast<float>(fields.number("mlp_ratio", 0.01, 64, 4));
    config.norm_eps = static_cast<float>(fields.number("layer_norm_eps", 0, 1, 1e-5));
    config.qkv_bias = fields.flag("qkv_bias", true);
    config.absolute_positions = fields.flag("use_absolute_embeddings", false);
    config.activation = activation_named(fields.text("hidden_act", "gelu"), where);
    require_rgb(fields);

    const uint32_t dim = fields.whole("embed_dim", {4, 8192}, 96);
    if (dim % 4 != 0) fields.refuse("embed_dim", "must be a multiple of 4");
    const uint32_t window = fields.whole("window_size", {1, 128}, 7);
    const auto depths = numbers(fields, "depths", 1, {2, 2, 6, 2});
    const auto heads = numbers(fields, "num_heads", 1, {3, 6, 12, 24});
    auto pretrained = numbers(fields, "pretrained_window_sizes", 0, {});
    if (heads.size() != depths.size()) fields.refuse("num_heads", "has another length than depths");
    pretrained.resize(std::max(pretrained.size(), depths.size()));
    for (uint32_t i = 0; i < depths.size(); ++i) {
        SwinConfig::Stage stage{.dim = dim << i,
                                .depth = depths[i],
                                .heads = heads[i],
                                .window = window,
                                .pretrained_window = pretrained[i]};
        require_whole_heads(fields, "embed_dim", stage.dim, "num_heads", stage.heads);
        if (config.second) {
            // V2's window depends on image_size, not on the size of the input.
            const uint32_t map = config.image.y / config.patch.y >> i;
            if (map == 0) fields.refuse("image_size", "is too small for this many stages");
            stage.window = std::min(window, map);
            stage.shifted = map > stage.window;
        }
        config.stages.push_back(stage);
    }
    if (has_classifier(fields, common)) config.labels = common.labels;
    return config;
}

}  // namespace saccade
