#pragma once

#include <string>
#include <vector>

#include "models/backbone/resnet.h"
#include "models/classification/classification_model.h"
#include "models/files/json.h"

// A ResNet classifier with the self-attention layer of Self-Attention Generative Adversarial
// Networks (Zhang et al. 2018, section 3) after its convolutions: every cell of the map attends to
// all cells, and the result is added to it, scaled by a learned gamma.

namespace saccade {

struct AttentionCnnConfig {
    ResNetConfig backbone;
    uint32_t image = 0;  // pixels along a side
    uint32_t inner = 0;  // channels of queries, keys and values
    std::vector<std::string> labels;
};
AttentionCnnConfig read_attention_cnn_config(const Json& json, const std::string& where);

class AttentionCnn : public ClassificationModel {
public:
    AttentionCnn(WeightLoader& weights, const AttentionCnnConfig& config);

    const std::vector<std::string>& labels() const override { return config_.labels; }
    Size picture() const override { return Size(config_.image); }
    Size patch() const override { return {1, 1}; }
    Type input_type() const override { return head_.weight.type; }
    Tensor logits(Commands& c, const Tensor& pixels, Tap& tap) const override;

    uint32_t layers() const override { return 1; }
    uint32_t heads(uint32_t) const override { return 1; }
    TokenLayout layout(uint32_t layer) const override;
    bool rolls_out() const override { return false; }
    double multiply_adds() const override;

private:
    AttentionCnnConfig config_;
    ResNet backbone_;
    Linear qkv_;   // f, g and h of the paper: (3 * inner, channels)
    Linear out_;   // v, multiplied by gamma: (channels, inner)
    Linear head_;  // (classes, channels)
};

}  // namespace saccade
