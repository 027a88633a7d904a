#pragma once

#include <memory>
#include <optional>

#include "models/backbone/hgnet_v2.h"
#include "models/backbone/tuned_dino.h"
#include "models/detection/deformable/hybrid_detector.h"
#include "models/detection/fine/edge_decoder.h"
#include "models/files/json.h"

// Real-Time Object Detection Meets DINOv3 (Huang et al. 2025): DEIMv2, from half a million weights
// to fifty million. What differs from D-FINE:
//  - the larger models see with DINOv3, and convolutions beside it for the details;
//  - maps that meet are added, not laid side by side;
//  - the smallest models have a lite encoder, without attention;
//  - the decoder's norms are by length alone, its perceptrons are gated, and the smallest models
//    have no gates where a query takes in what it saw.

namespace saccade {

// model_type deimv2. Missing fields take transformers' defaults.
struct Deimv2Config : HybridConfig {
    HGNetV2Config backbone;
    std::optional<TunedDinoConfig> dino;  // what there is in place of it
    EdgeDecoderConfig edges;
};
Deimv2Config read_deimv2_config(const Json& json, const std::string& where);

class Deimv2 : public HybridDetector {
public:
    Deimv2(WeightLoader& front, WeightLoader& weights, const Deimv2Config& config);

    void prepare(Size picture) override;

private:
    std::vector<FeatureMap> look(Commands& c, const Tensor& pixels, Size picture) const override;
    std::vector<Size> map_sizes(Size picture) const override;
    double backbone_work(Size picture) const override;
    void decode(Commands& c, const BoxDecoding& d, const DetectionOutput& out,
                DetectionTaps& taps) const override {
        decoder_.decode(c, d, out, taps);
    }
    double decoder_work(uint32_t) const override { return decoder_.multiply_adds(); }

    // One of them is there.
    std::unique_ptr<HGNetV2> hgnet_;
    std::unique_ptr<TunedDino> dino_;
    EdgeDecoder decoder_;
};

}  // namespace saccade
