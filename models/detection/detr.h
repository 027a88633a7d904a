#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/backbone/position.h"
#include "models/backbone/resnet.h"
#include "models/detection/detection_model.h"
#include "models/detection/detr_config.h"
#include "models/detection/mask_head.h"
#include "models/detection/post_norm.h"

// End-to-End Object Detection with Transformers (Carion et al. 2020). What differs from the
// standard transformer (fig. 10 of the paper):
//  - layers are post-norm: x = LN(x + f(x));
//  - positions are added to queries and keys of every attention, never to values;
//  - the decoder's input is zero; its object queries are learned positions, and it predicts all
//    objects at once.

namespace saccade {

class Detr : public DetectionModel {
public:
    // `front` loads the part before the first norm: the backbone and the encoder's first attention.
    // It is `weights` or a loader of higher precision.
    Detr(WeightLoader& front, WeightLoader& weights, const DetrConfig& config);

    const std::vector<std::string>& labels() const override { return config_.labels; }
    uint32_t queries() const override { return config_.queries; }
    uint32_t encoder_layers() const override { return config_.encoder_layers; }
    uint32_t decoder_layers() const override { return config_.decoder_layers; }
    uint32_t heads() const override { return config_.decoder_heads; }
    Size patch() const override { return {1, 1}; }
    Type input_type() const override { return input_projection_.weight.type; }

    void prepare(Size picture) override;
    DetectionOutput forward(Commands& c, const Tensor& pixels, Size picture,
                            DetectionTaps& taps) const override;
    void find(Commands& c, const Tensor& found, const DetectionOutput& out,
              Size frame) const override;
    bool front_outgrows_half(Device& device) const override;
    Size mask_size(Size picture) const override;
    bool panoptic() const override { return mask_head_.has_value(); }
    Tensor masks(Commands& c, const DetectionOutput& out, const Tensor& queries, Size picture,
                 Parts& parts) const override;
    bool hides_tokens() const override { return true; }
    bool has_features() const override { return true; }
    TokenLayout layout(Size picture) const override;
    double multiply_adds(Size picture) const override;

private:
    struct CrossAttention {
        Linear q, out;  // the keys and values of all layers are in memory_k_ and memory_v_
        Norm norm;
    };
    struct EncoderLayer {
        SelfAttention self;
        FeedForward ffn;
    };
    struct DecoderLayer {
        SelfAttention self;
        CrossAttention cross;
        FeedForward ffn;
    };

    MaskHeadForm mask_head_form() const;
    void keep_for_masks(Commands& c, const DetectionOutput& out, const Stream& features,
                        const std::vector<FeatureMap>& maps, Parts& parts) const;
    // An upper bound of the attention scores in the encoder's first layer, on a test picture.
    float first_attention_range(Device& device) const;
    void prepare_queries();
    Stream start(Commands& c, uint32_t batch) const;
    // `maps`: the backbone's stages, unless it is null.
    Stream embed(Commands& c, const Tensor& pixels, Size picture, const Tensor& pos,
                 std::vector<FeatureMap>* maps = nullptr) const;
    Stream encode(Commands& c, const Stream& front, Tap& tap) const;
    void decode(Commands& c, const Stream& s, const Stream& memory, DetectionTaps& taps) const;
    void keep_answers(Commands& c, const Stream& s, uint32_t layer, Parts& parts) const;
    void cross_attend(Commands& c, const Stream& s, const Tensor& k, const Tensor& v,
                      const CrossAttention& w, uint32_t layer, Tap& tap) const;

    Device& device_;
    DetrConfig config_;
    Heads encoder_heads_, decoder_heads_;
    ResNet backbone_;
    Linear input_projection_;  // (hidden, channels)
    std::vector<EncoderLayer> encoder_;
    std::vector<DecoderLayer> decoder_;
    Linear memory_k_, memory_v_;  // (layers * heads * head, hidden)
    Norm decoder_norm_;
    Tensor query_positions_;  // (queries, hidden) f32
    Linear class_head_;       // (classes + 1, hidden)
    Mlp box_head_;            // hidden, hidden, hidden, 4
    std::optional<MaskHead> mask_head_;
    PositionTables positions_;  // (cells, hidden)
    Arena start_memory_;
    Stream start_;  // the queries after the decoder's first self-attention, see prepare_queries()
};

}  // namespace saccade
