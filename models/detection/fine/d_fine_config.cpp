#include <nlohmann/json.hpp>

#include "models/detection/fine/d_fine.h"

namespace saccade {

DFineConfig read_d_fine_config(const Json& json, const std::string& where) {
    const JsonFields fields(json, where);
    ModelConfig common = read_model_config(fields);
    require_architecture(fields, common, "d_fine", "DFineForObjectDetection");
    const JsonFields backbone = fields.object_if_any("backbone_config");
    const std::string type = backbone.text("model_type", "hgnet_v2");
    if (type != "hgnet_v2")
        backbone.refuse("model_type", "is " + in_quotes(type) + "; only hgnet_v2 is supported");

    DFineConfig config;
    config.backbone = read_hgnet_v2(backbone);
    config.encoder = read_hybrid_encoder(fields, used_channels(config.backbone));
    config.encoder.fusion = HybridEncoderConfig::Fusion::elan;
    const FusionSize fusion = read_fusion_size(fields, config.encoder.dim);
    config.encoder.hidden = fusion.hidden;
    config.encoder.blocks = fusion.blocks;
    config.decoder = read_edge_decoder_form(fields, std::move(common));
    config.edges = read_edge_decoder(fields);
    return config;
}

}  // namespace saccade
