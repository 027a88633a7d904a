#include <nlohmann/json.hpp>

#include "shaders/deformable/params.h"

#include "models/detection/deformable/rt_detr.h"

namespace saccade {

RtDetrConfig read_rt_detr_config(const Json& json, const std::string& where) {
    const JsonFields fields(json, where);
    ModelConfig common = read_model_config(fields);
    const bool second = common.model_type == "rt_detr_v2";
    require_architecture(fields, common, second ? "rt_detr_v2" : "rt_detr",
                         second ? "RTDetrV2ForObjectDetection" : "RTDetrForObjectDetection");
    RtDetrConfig config;
    RtDetrVision vision = read_rt_detr_vision(fields);
    config.backbone = std::move(vision.backbone);
    config.stages = std::move(vision.stages);
    config.encoder = std::move(vision.encoder);
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
