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

// What a decoder works on.
struct BoxDecoding {
    Stream stream;  // the queries, with room for their positions
    Boxes boxes;    // where they look
    Tensor memory;  // (batch, cells, dim)
    Tensor values;  // what of_memory() makes of it
    std::vector<Size> levels;
};

// What RT-DETR and its children share: maps of a backbone go through a hybrid encoder, the cells that
// score best become queries with a box each, and a decoder looks around these boxes and moves them.
// A child says what its backbone is and what its decoder does.
class HybridDetector : public DetectionModel {
public:
    const std::vector<std::string>& labels() const override { return config_.decoder.labels; }
    uint32_t queries() const override { return config_.decoder.queries; }
    uint32_t encoder_layers() const override {
        return config_.lite ? 0 : config_.encoder.layers;
    }
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
    // `front` loads what lies before the first norm: it may be the same, or store more precisely.
    HybridDetector(WeightLoader& front, WeightLoader& weights, const HybridConfig& config);

    // The backbone's maps that are used, the largest first, and their sizes.
    virtual std::vector<FeatureMap> look(Commands& c, const Tensor& pixels, Size picture) const = 0;
    virtual std::vector<Size> map_sizes(Size picture) const = 0;
    virtual double backbone_work(Size picture) const = 0;

    // The queries look at each other, then around their boxes, and move these; then logits and
    // boxes are written into `out`.
    virtual void decode(Commands& c, const BoxDecoding& d, const DetectionOutput& out,
                        DetectionTaps& taps) const = 0;
    // A layer whose result for the whole memory the decoder reads, or none.
    virtual const Linear* of_memory() const { return nullptr; }
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
    // Of the encoder's maps, and of smaller ones made of the last; none where maps go on as they
    // are.
    std::vector<Conv2d> input_projections_;
    QuerySelection selection_;
};

}  // namespace saccade
