#pragma once

#include <vector>

#include "models/detection/deformable/deformable_attention.h"
#include "models/detection/deformable/hybrid_detector.h"
#include "models/detection/fine/edge_config.h"

namespace saccade {

// The decoder of D-FINE (Peng et al. 2024, section 4) and, simplified, of DEIMv2 (Huang et al.
// 2025, section 3). It
//  - samples the memory itself, without a value projection;
//  - predicts a distribution over the position of each edge of a box, which every layer refines
//    (FDR, fine-grained distribution refinement);
//  - adds a localisation quality estimate (LQE) from these distributions to its scores.
class EdgeDecoder {
public:
    EdgeDecoder(WeightLoader& weights, const DeformableDecoderConfig& form,
                const EdgeDecoderConfig& config);

    void decode(Commands& c, const DecoderInput& d, const DetectionOutput& out,
                DetectionTaps& taps) const;
    double multiply_adds() const;

private:
    struct Layer {
        SelfAttention self;
        DeformableAttention cross;
        Linear gate;  // (2 dim, 2 dim), or none
        Norm cross_norm;
        FeedForward ffn;
        Mlp edge_head;  // dim, dim, dim, 4 * (bins + 1)
    };
    uint32_t classes() const { return static_cast<uint32_t>(form_.labels.size()); }
    uint32_t head() const { return form_.dim / form_.heads; }
    uint32_t wide_head() const { return (head() + 3) / 4 * 4; }  // sampling reads fours
    Layer load_layer(WeightLoader& weights, uint32_t index) const;
    Linear load_narrowing(WeightLoader& weights) const;
    Tensor with_wide_heads(Commands& c, const Tensor& memory) const;
    void cross_attend(Commands& c, const Stream& s, const Tensor& both, const DecoderInput& d,
                      const Layer& w, uint32_t layer, Tap& tap) const;
    void score(Commands& c, const DetectionOutput& out, const Tensor& y,
               const Tensor& statistics) const;

    DeformableDecoderConfig form_;
    EdgeDecoderConfig config_;
    Heads heads_;
    DeformableForm deformable_;
    Mlp query_position_;
    Mlp first_box_head_;  // dim, dim, dim, 4
    std::vector<Layer> layers_;
    Linear narrowing_;  // (dim, heads * wide head): removes the padding of the heads
    Tensor steps_;      // (1, bins + 1) f32: the weighting function W(n)
    float scale_ = 4;
    Linear class_head_;  // (classes, dim)
    Mlp quality_;        // 4 (best + 1), hidden, ..., 1
};

}  // namespace saccade
