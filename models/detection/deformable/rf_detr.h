#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gpu/ops/attention.h"
#include "gpu/ops/boxes.h"
#include "gpu/ops/deformable.h"
#include "gpu/ops/norms.h"
#include "gpu/ops/products.h"
#include "gpu/recorder/recent.h"
#include "models/backbone/windowed_dinov2.h"
#include "models/detection/deformable/deformable_attention.h"
#include "models/detection/deformable/segmentation_head.h"
#include "models/detection/detection_model.h"
#include "models/detection/post_norm.h"
#include "models/files/json.h"

// RF-DETR (Robinson et al. 2025): LW-DETR's decoder on a DINOv2 with window attention. What differs
// from RT-DETR:
//  - there is one map, which a projector makes of the backbone's stages;
//  - the content of the queries is learned; only their reference boxes come from the cells with the
//    highest scores, in that order;
//  - boxes are refined once, relative to their own size;
//  - the segmentation variant multiplies each query with the upsampled map for a mask.

namespace saccade {

// model_type rf_detr. Missing fields take transformers' defaults.
struct RfDetrConfig {
    WindowedDinov2Config backbone;
    uint32_t dim = 0, layers = 0, intermediate = 0, queries = 0;
    uint32_t self_heads = 0, cross_heads = 0, groups = 1;  // inference uses the first query group
    uint32_t hidden = 0, blocks = 3;                       // of the projector
    Sampling sampling;
    Activation projector_activation = Activation::silu, activation = Activation::relu;
    float norm_eps = 1e-5f;
    std::optional<SegmentationForm> masks;  // RfDetrForInstanceSegmentation
    std::vector<std::string> labels;
};
RfDetrConfig read_rf_detr_config(const Json& json, const std::string& where);

class RfDetr : public DetectionModel {
public:
    RfDetr(WeightLoader& weights, const RfDetrConfig& config);

    const std::vector<std::string>& labels() const override { return config_.labels; }
    uint32_t queries() const override { return config_.queries; }
    uint32_t encoder_layers() const override { return backbone_.layers(); }
    uint32_t decoder_layers() const override { return config_.layers; }
    uint32_t heads() const override { return config_.cross_heads; }
    Size patch() const override { return Size(config_.backbone.patch); }
    Type input_type() const override { return type_; }

    void prepare(Size picture) override;
    DetectionOutput forward(Commands& c, const Tensor& patches, Size picture,
                            DetectionTaps& taps) const override;
    void find(Commands& c, const Tensor& found, const DetectionOutput& out,
              Size frame) const override {
        find_by_sigmoid(c, found, out, frame);
    }
    Size mask_size(Size picture) const override;
    Tensor masks(Commands& c, const DetectionOutput& out, const Tensor& queries, Size picture,
                 Parts& parts) const override;
    TokenLayout layout(Size picture) const override;
    double multiply_adds(Size picture) const override;

private:
    // A convolution, a layer norm over its channels, an activation.
    struct ConvNorm {
        Conv2d convolution;
        Norm norm;
    };
    struct Layer {
        SelfAttention self;
        DeformableAttention cross;
        Linear cross_out;  // (dim, heads * head)
        Norm cross_norm;
        FeedForward ffn;
    };
    ConvNorm load_conv_norm(WeightLoader& weights, const std::string& prefix, uint32_t out,
                            const std::vector<uint32_t>& in, uint32_t kernel) const;
    Layer load_layer(WeightLoader& weights, const std::string& prefix) const;
    void conv_norm_into(Commands& c, const Tensor& y, const Tensor& x, Size size, const ConvNorm& w,
                        const Norm* next = nullptr) const;
    Tensor project(Commands& c, const Tensor& windows, Size grid) const;
    Boxes choose(Commands& c, const Tensor& memory, const Tensor& values, const Tensor& sines,
                 Parts& parts) const;
    void decode(Commands& c, const Stream& s, const Tensor& boxes, const Tensor& sines,
                const Tensor& values, Size grid, DetectionTaps& taps) const;
    void keep_boxes(Commands& c, const Stream& s, const Tensor& from, uint32_t layer,
                    Parts& parts) const;
    uint32_t classes() const { return static_cast<uint32_t>(config_.labels.size()); }

    Device& device_;
    RfDetrConfig config_;
    Type type_;
    Heads self_heads_;
    DeformableForm deformable_;
    WindowedDinov2 backbone_;
    ConvNorm project_in_, project_out_;
    std::vector<std::pair<ConvNorm, ConvNorm>> bottlenecks_;
    Norm projector_norm_;
    // Query selection of the first group.
    Linear cell_output_, cell_classes_;
    Norm cell_norm_;
    Mlp cell_boxes_;
    Tensor query_content_;  // (queries, dim) f32
    Tensor query_boxes_;    // (queries, 4) f32: each query's offset of its reference box
    Tensor never_;          // (1, classes) f32: -infinity, the logits of masked cells
    Mlp query_position_;    // 2 dim, dim, dim
    Linear memory_values_;  // (layers * heads * head, dim)
    std::vector<Layer> layers_;
    Norm norm_;
    Linear class_head_;
    Mlp box_head_;
    std::optional<SegmentationHead> mask_head_;
    struct Places {
        Buffer memory;
        Tensor proposals;  // (1, cells, 4) f32: a box around each cell
        Tensor outside;    // (1, 1, n) u32: cells too close to the border to be selected
    };
    Recent<Size, Places> at_;
    Places places_for(Size grid) const;
};

}  // namespace saccade
