#include <nlohmann/json.hpp>

#include "models/backbone/resnet_config.h"
#include "models/detection/deformable/rt_detr.h"

namespace saccade {

namespace {

ResNetConfig read_resnet_d(const JsonFields& fields) {
    ResNetConfig config = read_resnet_layers(fields, {2, 65536});
    config.is_d = true;
    if (!config.bottleneck && !config.first_stage_strides && config.stem != config.stages.front().channels)
        fields.refuse("embedding_size", "is " + std::to_string(config.stem) +
                                            ", not hidden_sizes' first; the first basic block "
                                            "would halve its shortcut alone");
    require_rgb(fields);
    return config;
}

}  // namespace

RtDetrConfig read_rt_detr_config(const Json& json, const std::string& where) {
    const JsonFields fields(json, where);
    ModelConfig common = read_model_config(fields);
    const bool second = common.model_type == "rt_detr_v2";
    require_architecture(fields, common, second ? "rt_detr_v2" : "rt_detr",
                         second ? "RTDetrV2ForObjectDetection" : "RTDetrForObjectDetection");
    const JsonFields backbone = fields.object_if_any("backbone_config");
    const std::string type = backbone.text("model_type", "rt_detr_resnet");
    if (type != "rt_detr_resnet")
        backbone.refuse("model_type",
                        "is " + in_quotes(type) + "; only rt_detr_resnet is supported");

    RtDetrConfig config;
    config.backbone = read_resnet_d(backbone);
    const auto count = static_cast<uint32_t>(config.backbone.stages.size());
    config.stages = read_used_stages(backbone, count, {1, 2, 3});
    std::vector<uint32_t> channels;
    for (uint32_t stage : config.stages) channels.push_back(config.backbone.stages[stage].channels);
    config.backbone.stages.resize(config.stages.back() + 1);

    config.encoder = read_hybrid_encoder(fields, channels);
    const double expansion = fields.number("hidden_expansion", 0.0, 64.0, 1.0);
    config.encoder.hidden = static_cast<uint32_t>(config.encoder.dim * expansion);
    if (config.encoder.hidden == 0) fields.refuse("hidden_expansion", "leaves no channels");

    config.decoder = read_deformable_decoder(fields, std::move(common));
    config.decoder.sampling.points.assign(config.decoder.levels,
                                          fields.whole("decoder_n_points", {1, 255}, 4));
    if (second) {
        const uint32_t levels = fields.whole("decoder_n_levels", {1, params::most_levels}, 3);
        if (levels != config.decoder.levels)
            fields.refuse("decoder_n_levels", "is not num_feature_levels");
        read_sampling(fields, config.decoder.sampling);
    }
    return config;
}

}  // namespace saccade
