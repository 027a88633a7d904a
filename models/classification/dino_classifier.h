#pragma once

#include <string>
#include <vector>

#include "models/backbone/dino.h"
#include "models/classification/classification_model.h"

namespace saccade {

// DINOv2 and DINOv3, with a classifier on the class token and the mean of the patches, or without
// one.
class DinoClassifier : public ClassificationModel {
public:
    DinoClassifier(WeightLoader& weights, const DinoConfig& config);

    const std::vector<std::string>& labels() const override { return config().labels; }
    Size picture() const override { return config().image; }
    bool takes_any_size() const override { return true; }
    Remainder remainder() const override { return Remainder::dropped; }
    void prepare(Size picture) override { dino_.prepare(picture); }
    Size patch() const override { return config().patch; }
    Type input_type() const override { return dino_.type(); }
    Tensor logits(Commands& c, const Tensor& patches, Tap& tap) const override;

    Tensor lens(Commands& c, const Tensor& stream) const override;
    Tensor positions() const override { return dino_.start(); }
    // Whether positions turn queries and keys instead of being added (RoPE).
    bool rotates() const { return config().positions == DinoConfig::Positions::rotary; }

    uint32_t layers() const override { return config().layers; }
    uint32_t heads(uint32_t) const override { return config().heads; }
    TokenLayout layout(uint32_t layer) const override;
    // Rotary positions belong to the tokens of a whole grid.
    bool leaves_tokens_out() const override {
        return config().positions != DinoConfig::Positions::rotary;
    }
    bool has_outliers() const override { return config().registers == 0; }
    double multiply_adds() const override;

private:
    const DinoConfig& config() const { return dino_.config(); }
    // The classifier on LN(z).
    Tensor classify(Commands& c, const Tensor& y) const;

    Dino dino_;
    Linear head_;  // (classes, 2 * hidden), each half padded to a multiple of eight, or none
};

}  // namespace saccade
