#pragma once

#include <string>
#include <vector>

#include "models/backbone/vit.h"
#include "models/classification/classification_model.h"

namespace saccade {

// ViT and DeiT with their classifier.
class ViTClassifier : public ClassificationModel {
public:
    ViTClassifier(WeightLoader& weights, const ViTConfig& config);

    const std::vector<std::string>& labels() const override { return config().labels; }
    Size picture() const override { return {config().image_width, config().image_height}; }
    Size patch() const override { return {config().patch_width, config().patch_height}; }
    Type input_type() const override { return head_.weight.type; }
    Tensor logits(Commands& c, const Tensor& patches, Tap& tap) const override;

    Tensor lens(Commands& c, const Tensor& stream) const override;
    Tensor logits_from(Commands& c, const Tensor& stream, uint32_t layer, Tap& tap) const override {
        return lens(c, vit_.finish_first(c, stream, layer, tap));
    }
    Tensor positions() const override { return vit_.positions(); }
    bool skips_positions() const override { return true; }
    bool leaves_tokens_out() const override { return true; }

    uint32_t layers() const override { return config().layers; }
    uint32_t heads(uint32_t) const override { return config().heads; }
    TokenLayout layout(uint32_t layer) const override;
    double multiply_adds() const override;

private:
    const ViTConfig& config() const { return vit_.config(); }

    ViT vit_;
    Linear head_;     // (classes, hidden), on the class token
    Linear teacher_;  // (classes, hidden), on the distillation token, if there is one
};

}  // namespace saccade
