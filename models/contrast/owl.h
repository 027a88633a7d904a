#pragma once

#include "models/contrast/phrases.h"
#include "models/contrast/vision_tower.h"
#include "models/detection/detection_model.h"

// Simple Open-Vocabulary Object Detection with Vision Transformers (Minderer et al. 2022), and
// OWLv2 (Scaling Open-Vocabulary Object Detection, 2023): CLIP without pooling, where each patch
// predicts one object. A patch's embedding is compared with the phrases, and a small head predicts
// the box.

namespace saccade {

struct OwlConfig {
    VisionTowerConfig vision;
    TextTowerConfig text;
    std::string name;     // "owlv2": the prefix of its tensors
    bool square = false;  // boxes are relative to the padded square that the processor makes
    bool objectness = false;
    Activation heads = Activation::gelu_erf;
    float merge_eps = 1e-5f;  // of the norm after patches and class token are multiplied
    bool grey = false;        // pictures are padded to a square with grey
};
OwlConfig read_owl_config(const Json& json, const std::string& where);

// The authors' code has GELU's tanh form in the heads and another eps, and pads all pictures with
// grey; transformers squashes OWL-ViT's, and pads OWLv2's with black.
void follow_authors(OwlConfig& config);

class Owl : public DetectionModel {
public:
    Owl(WeightLoader& weights, const OwlConfig& config);

    const std::vector<std::string>& labels() const override { return phrases_.labels(); }
    Phrases* phrases() override { return &phrases_; }
    uint32_t queries() const override { return config_.vision.grid() * config_.vision.grid(); }
    uint32_t encoder_layers() const override { return config_.vision.form.layers; }
    uint32_t decoder_layers() const override { return 0; }
    uint32_t heads() const override { return config_.vision.form.block.heads; }
    Size patch() const override { return {config_.vision.patch, config_.vision.patch}; }
    Type input_type() const override { return vision_.type(); }
    void prepare(Size picture) override;
    // The decoder tap's only hidden state is the patches that the heads read.
    DetectionOutput forward(Commands& c, const Tensor& patches, Size picture,
                            DetectionTaps& taps) const override;
    void find(Commands& c, const Tensor& found, const DetectionOutput& out,
              Size frame) const override;
    glm::vec2 seen_of(Size frame) const override;
    Tensor likeness(Commands& c, const Tensor& features) const override;
    Tensor query_vectors(Commands& c, const Tensor& features) const override;
    bool has_features() const override { return true; }
    bool adapt(Preprocessor& preprocessor) const override;
    TokenLayout layout(Size picture) const override;
    double multiply_adds(Size picture) const override;

    // From the patches that the heads read: class embeddings, (patches, dim) f32, normalised; and
    // objectness (OWLv2), (patches, 1) f32.
    Tensor class_vectors(Commands& c, const Tensor& features) const;
    Tensor objectness(Commands& c, const Tensor& features) const;

private:
    // An MLP of three layers with GELU.
    struct Head {
        Linear dense0, dense1, dense2;
    };
    static Head load_head(WeightLoader& weights, const std::string& name, uint32_t dim,
                          uint32_t out);
    Tensor features(Commands& c, const Tensor& z) const;
    Tensor logits(Commands& c, const Tensor& features) const;
    Tensor boxes(Commands& c, const Tensor& features) const;

    OwlConfig config_;
    VisionTower vision_;
    Phrases phrases_;
    Norm post_norm_, norm_;
    Linear class_vector_;  // (dim, hidden)
    Linear gauge_;         // (2, hidden): shift and scale of a patch's logits
    Head box_head_, objectness_head_;
    PositionTables places_;  // (patches, 4): the box bias of each patch
};

}  // namespace saccade
