#pragma once

#include "models/backbone/hgnet_v2.h"
#include "models/detection/deformable/hybrid_detector.h"
#include "models/detection/fine/edge_decoder.h"
#include "models/files/json.h"

// D-FINE: Redefine Regression Task of DETRs as Fine-grained Distribution Refinement (Peng et al.
// 2024). RT-DETR with another backbone, other fusion blocks, and a decoder that refines
// distributions over the edges of boxes.

namespace saccade {

// model_type d_fine. Missing fields take transformers' defaults.
struct DFineConfig : HybridConfig {
    HGNetV2Config backbone;
    EdgeDecoderConfig edges;
};
DFineConfig read_d_fine_config(const Json& json, const std::string& where);

class DFine : public HybridDetector {
public:
    DFine(WeightLoader& front, WeightLoader& weights, const DFineConfig& config)
        : HybridDetector(front, weights, config),
          backbone_(front, config.backbone, "model.backbone.model"),
          decoder_(weights, config.decoder, config.edges) {}

private:
    std::vector<FeatureMap> backbone_maps(Commands& c, const Tensor& pixels,
                                          Size picture) const override {
        return backbone_.maps(c, pixels, picture);
    }
    std::vector<Size> map_sizes(Size picture) const override {
        return backbone_.map_sizes(picture);
    }
    double backbone_work(Size picture) const override { return backbone_.multiply_adds(picture); }
    void decode(Commands& c, const DecoderInput& d, const DetectionOutput& out,
                DetectionTaps& taps) const override {
        decoder_.decode(c, d, out, taps);
    }
    double decoder_work(uint32_t) const override { return decoder_.multiply_adds(); }

    HGNetV2 backbone_;
    EdgeDecoder decoder_;
};

}  // namespace saccade
