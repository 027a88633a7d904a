#pragma once

#include "models/classification/classification_model.h"
#include "models/contrast/phrases.h"
#include "models/contrast/vision_tower.h"

namespace saccade {

// A zero-shot classifier, whose classes are phrases: a tower for pictures and one for text, trained
// contrastively so that matching pictures and texts have similar embeddings. Learning Transferable
// Visual Models From Natural Language Supervision (Radford et al. 2021).
class ContrastModel : public ClassificationModel {
public:
    const std::vector<std::string>& labels() const override { return phrases_.labels(); }
    Phrases* phrases() override { return &phrases_; }
    Size picture() const override;
    Size patch() const override { return {vision_.config().patch, vision_.config().patch}; }
    void prepare(Size picture) override { vision_.prepare(picture / vision_.config().patch); }
    Type input_type() const override { return vision_.type(); }
    // Without a class token all patches are pooled, and one has to be there.
    bool leaves_tokens_out() const override { return vision_.config().class_token; }
    uint32_t layers() const override { return vision_.config().form.layers; }
    uint32_t heads(uint32_t) const override { return vision_.config().form.block.heads; }
    TokenLayout layout(uint32_t layer) const override;
    double multiply_adds() const override { return vision_.multiply_adds(); }

    // scale * cosine + bias of the picture with each phrase.
    Tensor logits(Commands& c, const Tensor& patches, Tap& tap) const override;
    // The same for each token of the last hidden state: (batch, tokens, phrases) f32.
    Tensor similarity(Commands& c, const Tensor& last) const;
    Tensor lens(Commands& c, const Tensor& stream) const override;
    Tensor likeness(Commands& c, const Tap& tap) const override;

    // The picture's embedding: (batch, 1, dim) f32.
    virtual Tensor embed(Commands& c, const Tensor& patches, Tap& tap) const = 0;
    const VisionTower& vision() const { return vision_; }

protected:
    ContrastModel(VisionTower vision, Phrases phrases)
        : vision_(std::move(vision)), phrases_(std::move(phrases)) {}
    // The embedding of each of some tokens after the last layer, f32, not normalised.
    virtual Tensor project(Commands& c, const Tensor& z) const = 0;

    VisionTower vision_;
    Phrases phrases_;
};

// A section of a config.json ("text_config"); `key`_dict of older files takes precedence.
JsonFields tower_section(const JsonFields& fields, const std::string& key);

}  // namespace saccade
