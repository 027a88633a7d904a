#include "models/backbone/resnet_config.h"

#include <nlohmann/json.hpp>

#include "models/backbone/config.h"

namespace saccade {

void keep_stages(const JsonFields& fields, ResNetConfig& config) {
    const auto count = static_cast<int64_t>(config.stages.size());
    int64_t last = count;
    if (const Json* indices = fields.find("out_indices")) {
        if (!indices->is_array() || indices->empty() || !indices->back().is_number_integer())
            fields.refuse("out_indices", "is not a list of stages");
        last = indices->back().get<int64_t>();
        if (last < 0) last += count + 1;
    } else if (const auto features = fields.texts("out_features"); !features.empty()) {
        const std::string& name = features.back();
        while (last > 0 && name != "stage" + std::to_string(last) &&
               name != "layer" + std::to_string(last))
            --last;
    }
    if (last < 1 || last > count)
        fields.refuse(fields.has("out_indices") ? "out_indices" : "out_features",
                      "does not end in one of the stages 1 to " + std::to_string(count));
    config.stages.resize(static_cast<size_t>(last));
}

void read_output_stride(const JsonFields& fields, ResNetConfig& config) {
    if (!fields.has("output_stride")) return;
    const uint32_t stride = fields.whole("output_stride", {8, 32});
    if (stride != 8 && stride != 16 && stride != 32)
        fields.refuse("output_stride", "is " + std::to_string(stride) + ", not 8, 16 or 32");
    config.output_stride = stride;
}

ResNetConfig read_resnet_layers(const JsonFields& fields, WholeRange stems) {
    ResNetConfig config;
    config.names = ResNetConfig::Names::transformers;
    const std::string type = fields.text("layer_type", "bottleneck");
    if (type != "bottleneck" && type != "basic")
        fields.refuse("layer_type", "is " + in_quotes(type) + ", not bottleneck or basic");
    config.bottleneck = type == "bottleneck";
    config.stem = fields.whole("embedding_size", stems, 64);
    const auto channels = fields.wholes("hidden_sizes", {1, 65536}, {{256, 512, 1024, 2048}});
    const auto blocks = fields.wholes("depths", {1, 1024}, {{3, 4, 6, 3}});
    if (channels.size() != blocks.size())
        fields.refuse("depths", "has another length than hidden_sizes");
    for (size_t i = 0; i < blocks.size(); ++i) config.stages.push_back({blocks[i], channels[i]});
    config.activation = activation_named(fields.text("hidden_act", "relu"), fields.where());
    config.first_stage_strides = fields.flag("downsample_in_first_stage", false);
    config.first_convolution_strides = fields.flag("downsample_in_bottleneck", false);
    config.output_stride = UINT32_MAX;  // transformers' ResNet has no dilation
    return config;
}

ResNetConfig read_transformers_resnet(const JsonFields& fields) {
    ResNetConfig config = read_resnet_layers(fields, {1, 65536});
    config.folded_norms = fields.flag("folded_norms", false);
    keep_stages(fields, config);
    require_rgb(fields);
    return config;
}

ResNetConfig read_resnet_d(const JsonFields& fields) {
    ResNetConfig config = read_resnet_layers(fields, {2, 65536});
    config.is_d = true;
    if (!config.bottleneck && !config.first_stage_strides &&
        config.stem != config.stages.front().channels)
        fields.refuse("embedding_size", "is " + std::to_string(config.stem) +
                                            ", not hidden_sizes' first; the first basic block "
                                            "would halve its shortcut alone");
    require_rgb(fields);
    return config;
}

}  // namespace saccade
