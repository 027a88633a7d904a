#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/inspect/attention_source.h"
#include "app/pipeline/models_in_use.h"

namespace saccade {

// How the tokens of a picture see each other, in the encoder of one of the models.
struct EncoderView {
    std::string task;   // "classifier"
    std::string model;  // its name
    AttentionSource attention;
    bool class_token = false;  // token 0 is the one that a classifier reads
    bool outliers = false;     // of which a few would swamp the maps: see outlier_limit
    // What reaches the class token through all layers, (tokens); else empty.
    std::vector<float> rollout = {};

    // A map as it is drawn: of one with outliers, these are limited.
    std::vector<float> drawn(std::vector<float> cells) const;
};

// One that looked at the picture: a detection's query, or a word of the caption.
struct Gaze {
    std::string label;
    double p = 0;
    uint32_t first = 0, count = 1;  // its tokens
};
struct GazeView {
    std::string model;
    AttentionSource attention;
    std::vector<Gaze> all;

    // What one of them looked at in a layer: (heads, cells).
    std::vector<float> cells(size_t index, uint32_t layer) const {
        const Gaze& one = all[index];
        return attention.cells_of(attention.average(layer, one.first, one.count));
    }
};

// How much each patch is like each phrase that a model was told.
struct PhraseView {
    std::string task;   // "classifier"
    std::string model;  // its name
    std::vector<std::string> phrases;
    std::vector<std::vector<float>> maps;  // one for each, of these cells:
    MapGeometry geometry;
};

// What a model knows of each patch at its end.
struct FeatureView {
    std::string task;   // "classifier"
    std::string model;  // its name
    MapGeometry geometry;
    std::vector<float> similarity =
        {};                           // (cells, cells): how much each is like each, by their cosine
    std::vector<float> colours = {};  // (3, cells): the main components as red, green and blue

    uint32_t cells() const { return area(geometry.grid); }
    // How much each cell is like the one at a point.
    std::vector<float> similarity_to(glm::vec2 point) const;
};

// A picture, what the models made of it, and all of their attention, ready to be asked for.
class Study {
public:
    struct Options {
        ModelNames names;
        DetectionFilter filter;
        std::optional<Size> size;  // --size, of the detector
        uint32_t classes = 5;
        Look word_look = {};  // for words that look at the picture through others
    };
    // Runs the models on the picture; `name` is the picture's, for errors.
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
    // Layers of the classifier whose queries and keys lie on different maps: no view has them.
    uint32_t layers_between_maps() const { return layers_between_maps_; }
    const std::vector<Class>& classes() const { return classes_; }
    // Detections and words are in the order of their views' gazes.
    const std::vector<Detection>& detections() const { return detections_; }
    const std::optional<GazeView>& detection_view() const { return detection_view_; }
    const std::optional<Caption>& caption() const { return caption_; }
    const std::optional<GazeView>& word_view() const { return word_view_; }
    // If there is none: what each word looked at through a question, or among other words.
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
    std::vector<Detection> detections_;
    std::optional<Caption> caption_;
    std::optional<GazeView> detection_view_, word_view_;
    std::vector<std::vector<float>> word_maps_;
    MapGeometry word_geometry_;
    std::vector<PhraseView> phrase_views_;
    std::vector<FeatureView> feature_views_;
};

}  // namespace saccade
