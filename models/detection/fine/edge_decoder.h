#pragma once

#include <vector>

#include "models/detection/deformable/deformable_attention.h"
#include "models/detection/deformable/hybrid_detector.h"
#include "models/detection/fine/edge_config.h"

namespace saccade {

// The decoder of D-FINE (Peng et al. 2024, section 4) and, simplified, of DEIMv2 (Huang et al.
// 2025, section 3). It
//  - samples the memory itself, without projecting it;
//  - predicts for each edge of a box a distribution over where it lies, which every layer refines;
//  - adds to its scores how sure these distributions are of themselves.
class EdgeDecoder {
public:
    EdgeDecoder(WeightLoader& weights, const DeformableDecoderConfig& form,
                const EdgeDecoderConfig& config);

    void decode(Commands& c, const BoxDecoding& d, const DetectionOutput& out,
                DetectionTaps& taps) const;
    double multiply_adds() const;

private:
    struct Layer {
        SelfAttention self;
        DeformableAttention cross;
        Linear gate;  // (2 dim, 2 dim), or none
        Norm cross_norm;
        FeedForward ffn;
        Perceptron edge_head;  // dim, dim, dim, 4 * (bins + 1)
    };
    uint32_t classes() const { return static_cast<uint32_t>(form_.labels.size()); }
    uint32_t head() const { return form_.dim / form_.heads; }
    uint32_t wide_head() const { return (head() + 3) / 4 * 4; }  // as samples are taken
    Layer load_layer(WeightLoader& weights, uint32_t index) const;
    Linear load_narrowing(WeightLoader& weights) const;
    Tensor with_wide_heads(Commands& c, const Tensor& memory) const;
    void look_around(Commands& c, const Stream& s, const Tensor& both, const BoxDecoding& d,
                     const Layer& w, uint32_t layer, Tap& tap) const;
    void score(Commands& c, const DetectionOutput& out, const Tensor& y,
               const Tensor& statistics) const;

    DeformableDecoderConfig form_;
    EdgeDecoderConfig config_;
    Heads heads_;
    DeformableForm deformable_;
    Perceptron query_position_;
    Perceptron first_box_head_;  // dim, dim, dim, 4
    std::vector<Layer> layers_;
    Linear narrowing_;  // (dim, heads * wide head): leaves out what heads were widened by
    Tensor steps_;      // (1, bins + 1) f32: W(n), how far an edge moves
    float scale_ = 4;
    Linear class_head_;   // (classes, dim)
    Perceptron quality_;  // 4 (best + 1), hidden, ..., 1
};

}  // namespace saccade
