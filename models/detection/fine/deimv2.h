#pragma once

#include <memory>
#include <optional>

#include "models/backbone/hgnet_v2.h"
#include "models/backbone/tuned_dino.h"
#include "models/detection/deformable/hybrid_detector.h"
#include "models/detection/fine/edge_decoder.h"
#include "models/files/implementation.h"
#include "models/files/json.h"

// Real-Time Object Detection Meets DINOv3 (Huang et al. 2025): DEIMv2, from half a million to fifty
// million parameters. What differs from D-FINE:
//  - the backbone of the larger models is DINOv3, with parallel convolutions for details;
//  - maps are fused by addition, not by concatenation;
//  - the smallest models have a lite encoder, without attention;
//  - the decoder has RMS norms and SwiGLU, and in the smallest models no gateway after
//    cross-attention.
// The authors' code and transformers' differ; follow_authors lists in what.

namespace saccade {

// model_type deimv2. Missing fields take transformers' defaults.
struct Deimv2Config : HybridConfig {
    HGNetV2Config backbone;
    std::optional<TunedDinoConfig> dino;  // replaces `backbone`
    EdgeDecoderConfig edges;
    std::optional<Activation> mlp_activation;  // mlp_act: of the decoder's perceptrons
    std::optional<Size> trained_size;          // of pictures, if they may have no other
    std::string remark;                        // see DetectionModel::remark
};
// As transformers computes it.
Deimv2Config read_deimv2_config(const Json& json, const std::string& where);
// A folder of the authors' own, as they compute it.
Deimv2Config read_deimv2_config_of_authors(const Json& json, const std::string& where,
                                           Implementation as);

// Changes what the authors' code computes otherwise than transformers'.
void follow_authors(Deimv2Config& config);
// Follows the authors if `as` says so or, by_weights, if the weights were trained in their code:
// transformers' conversion script then has added an enc_output that is the identity.
void choose_implementation(Deimv2Config& config, Implementation as, WeightSource& weights);

class Deimv2 : public HybridDetector {
public:
    Deimv2(WeightLoader& front, WeightLoader& weights, const Deimv2Config& config);

    void prepare(Size picture) override;
    bool adapt(Preprocessor& preprocessor) const override;
    std::string remark() const override { return remark_; }

private:
    std::vector<FeatureMap> backbone_maps(Commands& c, const Tensor& pixels,
                                          Size picture) const override;
    std::vector<Size> map_sizes(Size picture) const override;
    double backbone_work(Size picture) const override;
    void decode(Commands& c, const DecoderInput& d, const DetectionOutput& out,
                DetectionTaps& taps) const override {
        decoder_.decode(c, d, out, taps);
    }
    double decoder_work(uint32_t) const override { return decoder_.multiply_adds(); }

    // One of these is set.
    std::unique_ptr<HGNetV2> hgnet_;
    std::unique_ptr<TunedDino> dino_;
    EdgeDecoder decoder_;
    std::optional<Size> trained_size_;
    std::string remark_;
};

}  // namespace saccade
