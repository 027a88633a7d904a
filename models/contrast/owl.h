#pragma once

#include "models/contrast/phrases.h"
#include "models/contrast/vision_tower.h"
#include "models/detection/detection_model.h"

// Simple Open-Vocabulary Object Detection with Vision Transformers (Minderer et al. 2022), and OWLv2
// (Scaling Open-Vocabulary Object Detection, 2023): CLIP whose patches each find one object. A patch's
// vector is compared with the phrases, and small heads say where its object lies.

namespace saccade {

struct OwlConfig {
    VisionTowerConfig vision;
    TextTowerConfig text;
    std::string name;     // "owlv2": how its tensors' names begin
    bool square = false;  // boxes lie in the square that the processor made of the picture
    bool objectness = false;
};
OwlConfig read_owl_config(const Json& json, const std::string& where);

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
    // The patches as the heads see them are the taps' only hidden state of a decoder.
    DetectionOutput forward(Commands& c, const Tensor& patches, Size picture,
                            DetectionTaps& taps) const override;
    void find(Commands& c, const Tensor& found, const DetectionOutput& out,
              Size frame) const override;
    glm::vec2 seen_of(Size frame) const override;
    Tensor likeness(Commands& c, const Tensor& features) const override;
    Tensor query_vectors(Commands& c, const Tensor& features) const override;
    bool tells_features() const override { return true; }
    TokenLayout layout(Size picture) const override;
    double multiply_adds(Size picture) const override;

    // Of patches as the heads see them: (patches, dim) f32 of length 1, what is compared with phrases;
    // (patches, 1) f32, whether there is anything (OWLv2).
    Tensor class_vectors(Commands& c, const Tensor& features) const;
    Tensor objectness(Commands& c, const Tensor& features) const;

private:
    // Three layers with GELU between them.
    struct Head {
        Linear dense0, dense1, dense2;
    };
    static Head load_head(WeightLoader& weights, const std::string& name, uint32_t dim, uint32_t out);
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
    PositionTables places_;  // (patches, 4): where a patch's box lies before it is moved
};

}  // namespace saccade
