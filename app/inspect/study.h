#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/inspect/attention_source.h"
#include "app/pipeline/models_in_use.h"

namespace saccade {

// The self-attention of one model's encoder.
struct EncoderView {
    std::string task;   // "classifier"
    std::string model;  // its name
    AttentionSource attention;
    bool class_token = false;  // token 0 is the class token
    bool outliers = false;     // a few patches would dominate the maps: see outlier_limit
    // The attention rollout to the class token: (tokens); empty without a class token.
    std::vector<float> rollout = {};

    // The number of the first layer among all layers of the model, and their count: a view may have
    // only some of them.
    uint32_t first_layer = 0, model_layers = 0;

    // The map as it is drawn, with outliers clipped.
    std::vector<float> drawn(std::vector<float> cells) const;
};

// A detection's query or a word of the caption, whose attention over the picture is shown.
struct Gaze {
    std::string label;
    double p = 0;
    uint32_t first = 0, count = 1;  // its tokens
};
struct GazeView {
    std::string model;
    AttentionSource attention;
    std::vector<Gaze> all;

    // The attention of one of them in a layer: (heads, cells).
    std::vector<float> cells(size_t index, uint32_t layer) const {
        const Gaze& one = all[index];
        return attention.cells_of(attention.average(layer, one.first, one.count));
    }
};

// The similarity of each patch to each phrase of a model's prompt.
struct PhraseView {
    std::string task;   // "classifier"
    std::string model;  // its name
    std::vector<std::string> phrases;
    std::vector<std::vector<float>> maps;  // one per phrase, over the cells of:
    MapGeometry geometry;
};

// A model's last patch features.
struct FeatureView {
    std::string task;   // "classifier"
    std::string model;  // its name
    MapGeometry geometry;
    std::vector<float> similarity = {};  // (cells, cells): cosine similarity
    std::vector<float> colours = {};     // (3, cells): principal components as red, green and blue

    uint32_t cells() const { return area(geometry.grid); }
    // The similarity of each cell to the one at a point.
    std::vector<float> similarity_to(glm::vec2 point) const;
};

// A picture, the models' results for it, and access to all of their attention.
class Study {
public:
    struct Options {
        ModelNames names;
        DetectionFilter filter;
        std::optional<Size> size;  // --size, of the detector
        uint32_t classes = 5;
        Look word_look = {};  // for words without cross-attention of their own
    };
    // Runs the models on the picture. `name` identifies it in errors.
    Study(Engine& engine, ModelsInUse& models, const std::string& name, const PictureView& picture,
          const Options& options);
    Study(const Study&) = delete;
    Study& operator=(const Study&) = delete;

    struct Class {
        std::string label;
        double p = 0;
    };
    const std::string& name() const { return name_; }
    const PictureView& picture() const { return picture_; }
    const std::vector<EncoderView>& encoders() const { return encoders_; }
    // The number of the classifier's layers whose queries and keys have different grids; they have
    // no view.
    uint32_t layers_between_maps() const { return layers_between_maps_; }
    const std::vector<Class>& classes() const { return classes_; }
    // What the classifier can name, and the score from which on a class is shown; 0 without one.
    size_t known_classes() const { return known_classes_; }
    float sure_above() const { return sure_above_; }
    // Detections and words have the order of their views' gazes.
    const std::vector<Detection>& detections() const { return detections_; }
    const std::optional<GazeView>& detection_view() const { return detection_view_; }
    const std::optional<Caption>& caption() const { return caption_; }
    const std::optional<GazeView>& word_view() const { return word_view_; }
    // Without a word_view(): the attention of each word through query tokens or in a decoder that
    // holds the picture's tokens itself.
    const std::vector<std::vector<float>>& word_maps() const { return word_maps_; }
    const MapGeometry& word_geometry() const { return word_geometry_; }
    const std::vector<PhraseView>& phrase_views() const { return phrase_views_; }
    const std::vector<FeatureView>& feature_views() const { return feature_views_; }

private:
    void look_with_classifier(Engine& engine, Classifier& classifier, const Options& options);
    void look_with_detector(Engine& engine, const Detector& detector, const Options& options);
    void look_with_captioner(Engine& engine, Captioner& captioner, const Options& options);
    void look_with_eye(Engine& engine, const Captioner& captioner, const std::string& title);
    void look_with_words(Engine& engine, const Captioner& captioner, const Options& options);

    std::string name_;
    PictureView picture_;
    Tap classifier_tap_, captioner_tap_;
    DetectionTaps detection_taps_;
    std::vector<EncoderView> encoders_;
    uint32_t layers_between_maps_ = 0;
    std::vector<Class> classes_;
    size_t known_classes_ = 0;
    float sure_above_ = 0;
    std::vector<Detection> detections_;
    std::optional<Caption> caption_;
    std::optional<GazeView> detection_view_, word_view_;
    std::vector<std::vector<float>> word_maps_;
    MapGeometry word_geometry_;
    std::vector<PhraseView> phrase_views_;
    std::vector<FeatureView> feature_views_;
};

}  // namespace saccade
