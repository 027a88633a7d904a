#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/backbone/feature_map.h"
#include "models/detection/deformable/deformable_attention.h"
#include "models/detection/deformable/hybrid_config.h"
#include "models/detection/deformable/hybrid_encoder.h"
#include "models/detection/deformable/query_selection.h"
#include "models/detection/detection_model.h"
#include "models/detection/post_norm.h"

namespace saccade {

struct DecoderInput {
    Stream stream;  // the queries, with memory for their positions
    Boxes boxes;    // their reference boxes
    Tensor memory;  // (batch, cells, dim): the encoder's output
    Tensor values;  // value_projection() of the memory
    std::vector<Size> levels;
};

// The base of RT-DETR and its descendants: a hybrid encoder fuses the backbone's maps, the cells
// with the highest scores become queries with a reference box each, and a decoder with deformable
// attention refines the boxes. Derived classes provide the backbone and the decoder.
class HybridDetector : public DetectionModel {
public:
    const std::vector<std::string>& labels() const override { return config_.decoder.labels; }
    uint32_t queries() const override { return config_.decoder.queries; }
    uint32_t encoder_layers() const override { return config_.lite ? 0 : config_.encoder.layers; }
    uint32_t decoder_layers() const override { return config_.decoder.layers; }
    uint32_t heads() const override { return config_.decoder.heads; }
    Size patch() const override { return {1, 1}; }
    Type input_type() const override { return input_type_; }

    void prepare(Size picture) override;
    DetectionOutput forward(Commands& c, const Tensor& pixels, Size picture,
                            DetectionTaps& taps) const override;
    void find(Commands& c, const Tensor& found, const DetectionOutput& out,
              Size frame) const override {
        find_by_sigmoid(c, found, out, frame);
    }
    bool front_outgrows_half(Device& device) const override;
    TokenLayout layout(Size picture) const override;
    TokenLayout query_layout(Size picture) const override;
    double multiply_adds(Size picture) const override;

protected:
    // `front` loads the part before the first norm; it is `weights` or a loader of higher
    // precision.
    HybridDetector(WeightLoader& front, WeightLoader& weights, const HybridConfig& config);

    // The backbone's maps that the encoder reads, the largest first, and their sizes.
    virtual std::vector<FeatureMap> backbone_maps(Commands& c, const Tensor& pixels,
                                                  Size picture) const = 0;
    virtual std::vector<Size> map_sizes(Size picture) const = 0;
    virtual double backbone_work(Size picture) const = 0;

    // The decoder layers and the heads; writes logits and boxes to `out`.
    virtual void decode(Commands& c, const DecoderInput& d, const DetectionOutput& out,
                        DetectionTaps& taps) const = 0;
    // A layer that is applied to the whole memory for the decoder, or none.
    virtual const Linear* value_projection() const { return nullptr; }
    virtual double decoder_work(uint32_t cells) const = 0;

    const DeformableDecoderConfig& decoder() const { return config_.decoder; }
    const DeformableForm& deformable_form() const { return deformable_; }
    const Heads& query_heads() const { return heads_; }
    uint32_t classes() const { return static_cast<uint32_t>(config_.decoder.labels.size()); }

private:
    std::vector<Size> level_sizes(Size picture) const;
    Tensor encode(Commands& c, const Tensor& pixels, Size picture, DetectionTaps& taps) const;

    HybridConfig config_;
    Heads heads_;
    DeformableForm deformable_;
    Type type_, input_type_;
    std::unique_ptr<PyramidEncoder> encoder_;
    // One for each of the encoder's maps, and for smaller maps made of the last; empty if the
    // decoder reads the encoder's maps.
    std::vector<Conv2d> input_projections_;
    QuerySelection selection_;
};

}  // namespace saccade
