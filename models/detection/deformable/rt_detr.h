#pragma once

#include <vector>

#include "models/backbone/resnet.h"
#include "models/detection/deformable/hybrid_detector.h"
#include "models/files/json.h"

// DETRs Beat YOLOs on Real-time Object Detection (Zhao et al. 2023), and RT-DETRv2 (Lv et al.
// 2024), whose sampling differs slightly. What differs from DETR:
//  - a hybrid encoder fuses three maps of the backbone;
//  - the queries are the cells with the highest scores, each with a reference box (query
//    selection);
//  - the decoder has deformable attention around that box, and every layer refines it.

namespace saccade {

// model_type rt_detr and rt_detr_v2. Missing fields take transformers' defaults.
struct RtDetrConfig : HybridConfig {
    ResNetConfig backbone;
    std::vector<uint32_t> stages;  // of the backbone that the encoder reads, counted from 0
};
RtDetrConfig read_rt_detr_config(const Json& json, const std::string& where);

class RtDetr : public HybridDetector {
public:
    RtDetr(WeightLoader& front, WeightLoader& weights, const RtDetrConfig& config);

private:
    struct Layer {
        SelfAttention self;
        DeformableAttention cross;
        Linear cross_out;  // (dim, heads * head)
        Norm cross_norm;
        FeedForward ffn;
        Mlp box_head;  // dim, dim, dim, 4
    };
    std::vector<FeatureMap> backbone_maps(Commands& c, const Tensor& pixels,
                                          Size picture) const override;
    std::vector<Size> map_sizes(Size picture) const override;
    double backbone_work(Size picture) const override { return backbone_.multiply_adds(picture); }
    // All layers read the same memory, so one product computes their values.
    const Linear* value_projection() const override { return &memory_values_; }
    void decode(Commands& c, const DecoderInput& d, const DetectionOutput& out,
                DetectionTaps& taps) const override;
    double decoder_work(uint32_t cells) const override;

    std::vector<uint32_t> stages_;
    ResNet backbone_;
    Mlp query_position_;    // 4, 2 dim, dim
    Linear memory_values_;  // (layers * heads * head, dim)
    std::vector<Layer> layers_;
    Linear class_head_;  // (classes, dim)
};

}  // namespace saccade
