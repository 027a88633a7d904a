#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gpu/transfer/download.h"
#include "gpu/transfer/frame.h"
#include "models/attention/attention_maps.h"
#include "models/attention/map_geometry.h"
#include "models/attention/patch_features.h"
#include "models/classification/classification_model.h"
#include "models/files/checkpoint.h"
#include "models/files/implementation.h"
#include "models/files/json.h"
#include "models/picture/picture_input.h"
#include "models/text/tokenizer.h"

namespace saccade {

struct ClassScore {
    uint32_t id = 0;
    float score = 0;
};

// The results of a recording, on the device and on the host. Each frame in flight needs its own.
class Ranking {
public:
    // After the recording has run; the likeliest first. Empty for a model without a classifier.
    std::vector<ClassScore> top(uint32_t count) const;
    std::vector<float> logits() const { return logits_.floats(); }
    // The likeliest classes on the device, (1, 1, n), or empty.
    const Top& on_device() const { return top_; }

private:
    friend class Classifier;
    void prepare(Device& device, uint32_t classes);
    Buffer memory_;
    Top top_;
    uint32_t classes_ = 0;
    Download logits_, scores_, ids_;
};

// A classification model from a Hugging Face folder.
class Classifier {
public:
    // Opens a folder; matrices are stored as `precision`.
    // `tokenizer` is Tokenizer::open for zero-shot models.
    static Classifier open(Device& device, const std::filesystem::path& folder, Type precision,
                           LoadProgress progress = {}, OpenTokenizer tokenizer = no_tokenizer,
                           Implementation as = Implementation::by_weights);
    // From a config.json and any source of weights, for benchmarks and tests. `where` names the
    // config in errors.
    Classifier(Device& device, const Json& config, const std::string& where,
               Preprocessor preprocessor, WeightSource& weights, Type precision,
               Implementation as = Implementation::by_weights);

    const std::vector<std::string>& labels() const { return model_->labels(); }
    const ClassificationModel& model() const { return *model_; }
    // The score threshold for showing a class: "sure_above" of the folder's config.json, or a
    // default.
    float sure_above() const { return sure_above_; }
    // The phrases of a zero-shot model; null if its classes are fixed.
    Phrases* phrases() const { return model_->phrases(); }
    // Sets the labels, with the model's own prompt template or with `pattern`. Nothing that was
    // recorded before may still be running, and everything has to be recorded again. An Error if
    // the model's classes are fixed.
    void look_for(const std::vector<std::string>& labels, const std::string& pattern = {});
    const PictureInput& input() const { return input_; }
    // Replaces the folder's preprocessor.
    void use(Preprocessor preprocessor);
    Type precision() const { return precision_; }
    // Whether several classes may be right: a class has a score of its own.
    bool has_independent_classes() const { return independent_; }
    // The same, or phrases that are judged one by one (SigLIP).
    bool judges_classes_alone() const { return independent_ || model_->judges_phrases_alone(); }
    // Tensors of the file that the model does not use.
    const std::vector<std::string>& unused() const { return unused_; }

    // Prepares for frames of this size; false if it is already prepared. Nothing that was recorded
    // for the ninth size before it may still be running.
    bool prepare(Size frame);

    // Records everything from the picture, whose size must have been prepared, to the
    // probabilities.
    void record(Commands& c, const Image& image, Tap& tap, Ranking& ranking) const {
        const Image* const images[] = {&image};
        Ranking* const all[] = {&ranking};
        record(c, images, tap, all);
    }
    // The same for several pictures at once, each with its ranking; null leaves a place empty. The
    // ranking of a picture does not depend on the others.
    void record(Commands& c, std::span<const Image* const> images, Tap& tap,
                std::span<Ranking* const> rankings) const;
    // The same with the classifier's own ranking, for one frame at a time.
    void record(Commands& c, const Image& image, Tap& tap) { record(c, image, tap, ranking_); }
    const Ranking& ranking() const { return ranking_; }
    // The model alone, for any batch of patches: (batch, 1, classes) f32.
    Tensor logits(Commands& c, const Tensor& patches, Tap& tap) const {
        return model_->logits(c, patches, tap);
    }

    // Attention maps, (1, grid height, grid width) f32, valid until the scope ends; for a tap that
    // kept the layer in a recording that has run, or earlier in the same one. Attention of the
    // class token, and of the patch at a point of the frame:
    Tensor look_from_class_token(Commands& c, const Tap& tap, const Look& look) const;
    Tensor look_from_point(Commands& c, const Tap& tap, const Look& look, glm::vec2 point) const;
    // Rollout through all layers, which the tap must have kept, if model().rolls_out().
    Tensor rollout_from_class_token(Commands& c, const Tap& tap, Rollout& rollout) const;
    Tensor rollout_from_point(Commands& c, const Tap& tap, Rollout& rollout, glm::vec2 point) const;
    // The probability of each patch for a phrase; for a tap that kept hidden states.
    Tensor look_from_phrase(Commands& c, const Tap& tap, uint32_t phrase) const;
    // The similarity of each patch to the one at a point or to the class token, and the patches'
    // features as colours. For a tap that kept features.
    Tensor similarity_to_point(Commands& c, const Tap& tap, glm::vec2 point) const;
    Tensor similarity_to_class_token(Commands& c, const Tap& tap) const;
    Tensor colours(Commands& c, const Tap& tap, PatchColours& from) const;
    MapGeometry feature_geometry() const;
    // The position of a layer's maps over the frame; for rollout, the first layer's.
    MapGeometry geometry(uint32_t layer = 0) const;
    MapGeometry query_geometry(uint32_t layer) const;  // the same of its queries

private:
    struct Loaded {
        std::unique_ptr<ClassificationModel> model;
        std::vector<Buffer> memory;
        std::vector<std::string> unused;
    };
    static Loaded load(Device& device, const Json& config, const std::string& where,
                       WeightSource& weights, Type precision, Implementation as);
    Classifier(Device& device, Loaded loaded, Preprocessor preprocessor, Type precision);

    void check_input() const;
    Tensor look_from(Commands& c, const Tap& tap, const Look& look, uint32_t token) const;
    Tensor rollout_from(Commands& c, const Tap& tap, Rollout& rollout, uint32_t token,
                        uint32_t skipped = 0) const;

    Device& device_;
    Type precision_;
    std::vector<Buffer> memory_;
    std::unique_ptr<ClassificationModel> model_;
    std::vector<std::string> unused_;
    std::unique_ptr<Tokenizer> tokenizer_;
    PictureInput input_;
    AttentionRow attention_row_;
    bool independent_ = false;  // several classes may be right: sigmoid instead of softmax
    float sure_above_ = 0.25f;
    Ranking ranking_;
};

}  // namespace saccade
