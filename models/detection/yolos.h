#pragma once

#include <vector>

#include "models/backbone/layers.h"
#include "models/backbone/position.h"
#include "models/detection/detection_model.h"
#include "models/detection/yolos_config.h"

// You Only Look at One Sequence (Fang et al. 2021): a plain ViT whose sequence has a hundred
// learned detection tokens after the patches. Two heads read one object from each of them.

namespace saccade {

class Yolos : public DetectionModel {
public:
    Yolos(WeightLoader& weights, const YolosConfig& config);

    const std::vector<std::string>& labels() const override { return config_.labels; }
    uint32_t queries() const override { return config_.detection_tokens; }
    uint32_t encoder_layers() const override { return config_.layers; }
    uint32_t decoder_layers() const override { return 0; }
    uint32_t heads() const override { return config_.heads; }
    Size patch() const override { return {config_.patch, config_.patch}; }
    bool leaves_tokens_out() const override { return true; }
    Type input_type() const override { return patch_embedding_.weight.type; }

    void prepare(Size picture) override;
    DetectionOutput forward(Commands& c, const Tensor& patches, Size picture,
                            DetectionTaps& taps) const override;
    void find(Commands& c, const Tensor& found, const DetectionOutput& out,
              Size frame) const override;
    bool has_features() const override { return true; }
    TokenLayout layout(Size picture) const override;
    double multiply_adds(Size picture) const override;

private:
    Size grid_of(Size picture) const { return picture / config_.patch; }
    std::vector<float> resized(std::span<const float> stored, Size grid) const;
    void embed(Commands& c, const Tensor& z, const Tensor& patches) const;
    DetectionOutput room_for_answers(Commands& c, uint32_t batch) const;
    Tensor queries_of(Commands& c, const Tensor& z) const;
    void answer(Commands& c, const Tensor& queries, const DetectionOutput& out) const;
    void keep_answers(Commands& c, const Tensor& z, uint32_t layer, Parts& parts) const;

    YolosConfig config_;
    EncoderForm form_;
    Linear patch_embedding_;  // (hidden, 3 * patch * patch)
    std::vector<EncoderBlock> blocks_;
    Norm norm_;
    Mlp class_head_, box_head_;

    // As stored, for the grid of the config: (tables, tokens, hidden). The first is added to the
    // patches and includes the class token and the detection tokens; each of the others is added
    // after a block.
    std::vector<std::vector<float>> stored_positions_;
    PositionTables positions_;  // resized for the prepared picture
};

}  // namespace saccade
