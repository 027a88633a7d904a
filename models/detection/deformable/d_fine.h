#pragma once

#include <vector>

#include "models/backbone/hgnet_v2.h"
#include "models/detection/deformable/hybrid_detector.h"
#include "models/files/json.h"

// D-FINE: Redefine Regression Task of DETRs as Fine-grained Distribution Refinement (Peng et al.
// 2024). RT-DETR with another backbone, and a decoder that
//  - samples the memory itself, without projecting it, and lets a gate weigh what it saw;
//  - predicts for each edge of a box a distribution over where it lies, which every layer refines;
//  - adds to its scores how sure these distributions are of themselves.

namespace saccade {

// model_type d_fine. Missing fields take transformers' defaults.
struct DFineConfig : HybridConfig {
    HGNetV2Config backbone;
    std::vector<uint32_t> stages;  // of the backbone that are used, counted from 0
    uint32_t bins = 32;            // an edge's distribution has one more
    uint32_t best = 4, quality_hidden = 64, quality_layers = 2;
};
DFineConfig read_d_fine_config(const Json& json, const std::string& where);

class DFine : public HybridDetector {
public:
    DFine(WeightLoader& front, WeightLoader& weights, const DFineConfig& config);

private:
    struct Layer {
        SelfAttention self;
        DeformableAttention cross;
        Linear gate;  // (2 dim, 2 dim)
        Norm gate_norm;
        FeedForward ffn;
        Perceptron edge_head;  // dim, dim, dim, 4 * (bins + 1)
    };
    std::vector<FeatureMap> look(Commands& c, const Tensor& pixels, Size picture) const override;
    std::vector<Size> map_sizes(Size picture) const override;
    double backbone_work(Size picture) const override { return backbone_.multiply_adds(picture); }
    void decode(Commands& c, const Decoding& d, const DetectionOutput& out,
                DetectionTaps& taps) const override;
    double decoder_work(uint32_t cells) const override;
    void look_around(Commands& c, const Stream& s, const Tensor& both, const Decoding& d,
                     const Layer& w, uint32_t layer, Tap& tap) const;
    void score(Commands& c, const DetectionOutput& out, const Tensor& y,
               const Tensor& statistics) const;

    DFineConfig config_;
    HGNetV2 backbone_;
    Perceptron query_position_;  // 4, 2 dim, dim
    Perceptron first_box_head_;  // dim, dim, dim, 4
    std::vector<Layer> layers_;
    Tensor steps_;  // (1, bins + 1) f32: W(n), how far an edge moves
    float scale_ = 4;
    Linear class_head_;   // (classes, dim)
    Perceptron quality_;  // 4 (best + 1), hidden, ..., 1
};

}  // namespace saccade
