#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "gpu/transfer/download.h"
#include "gpu/transfer/frame.h"
#include "models/attention/attention_maps.h"
#include "models/attention/map_geometry.h"
#include "models/attention/patch_features.h"
#include "models/contrast/example.h"
#include "models/detection/detection_model.h"
#include "models/files/checkpoint.h"
#include "models/files/implementation.h"
#include "models/files/json.h"
#include "models/picture/picture_input.h"
#include "models/text/tokenizer.h"

namespace saccade {

struct Detection {
    uint32_t id = 0;  // class
    float score = 0;
    Rectangle box;                    // pixels of the frame; may reach beyond it
    uint32_t query = 0;               // the object query, for its attention
    std::vector<uint32_t> mask = {};  // run lengths, see mask_runs; empty: no mask
};

// Which detections to keep.
struct DetectionFilter {
    float threshold = 0.5f;                     // the score must be above it
    std::map<uint32_t, float> thresholds = {};  // for single classes, instead of `threshold`
    std::set<uint32_t> classes = {};            // empty: all
    size_t most = SIZE_MAX;                     // keeps only the best
    bool masks = false;                         // also reads masks, if the model has them
    float overlap = 1;  // drops a detection that overlaps a better one by more (IoU): NMS

    // Whether drawing on the device, which knows a single threshold and no NMS, shows the same.
    bool is_plain() const { return thresholds.empty() && overlap >= 1; }
    float least_score(uint32_t id) const {
        const auto own = thresholds.find(id);
        return own == thresholds.end() ? threshold : own->second;
    }
};

// The results of a recording, on the device and on the host. Each frame in flight needs its own.
class Findings {
public:
    // After the recording has run; the best first.
    std::vector<Detection> detections(const DetectionFilter& filter) const;
    // The highest score, whatever a filter would keep; 0 if there is none.
    float best_score() const;
    // The heads' output, see DetectionOutput.
    std::vector<float> logits() const { return logits_.floats(); }
    std::vector<float> boxes() const { return boxes_.floats(); }
    // The state of each query that the heads read, row by row. Empty unless the decoder's tap keeps
    // hidden states.
    std::vector<float> query_states() const;
    // The output of DetectionModel::find, on the device.
    const Tensor& found() const { return found_; }

    // For models with masks: the queries that have one, the best first.
    std::vector<uint32_t> masked_queries() const;
    // The logits of their masks, concatenated, and the size of each mask.
    std::vector<float> mask_logits() const { return masks_download_.floats(); }
    Size mask_size() const { return mask_size_; }
    // The same on the device: (1, n, cells) f32, and (1, 2, n) u32, see best_queries_into.
    const Tensor& masks() const { return masks_; }
    const Tensor& masked() const { return masked_; }

private:
    friend class Detector;
    void prepare(Device& device, uint32_t most);
    void add_masks(std::vector<Detection>& to) const;
    void add_panoptic_masks(std::vector<Detection>& to) const;
    void prepare_masks(Device& device, uint32_t count, Size size);
    Buffer memory_, mask_memory_;
    Tensor found_, masks_, masked_;
    Size frame_, mask_size_;
    std::vector<bool> stuff_;  // which classes are "stuff", if masks are panoptic; else empty
    bool has_states_ = false;
    Download download_, logits_, boxes_, states_, masked_download_, masks_download_;
};

// The score threshold for showing boxes of this folder's detector: "sure_above" of its config.json,
// or one half.
float sure_above_in(const std::filesystem::path& folder);

// A detection model from a Hugging Face folder.
class Detector {
public:
    // Opens a folder; matrices are stored as `precision`.
    // `tokenizer` is Tokenizer::open for open-vocabulary models.
    static Detector open(Device& device, const std::filesystem::path& folder, Type precision,
                         LoadProgress progress = {}, OpenTokenizer tokenizer = no_tokenizer,
                         Implementation as = Implementation::by_weights);
    // How the weights are used, besides their precision.
    struct Use {
        Implementation as = Implementation::by_weights;
        std::optional<Type> front = std::nullopt;  // of the part before the model's first norm
    };
    // From a config.json and any source of weights, for benchmarks and tests. `where` names the
    // config in errors.
    Detector(Device& device, const Json& config, const std::string& where,
             Preprocessor preprocessor, WeightSource& weights, Type precision)
        : Detector(device, config, where, std::move(preprocessor), weights, precision, Use{}) {}
    Detector(Device& device, const Json& config, const std::string& where,
             Preprocessor preprocessor, WeightSource& weights, Type precision, const Use& use);
    // The same, with a `front` that fits the weights: see DetectionModel::front_outgrows_half.
    static Detector with_suitable_front(Device& device, const Json& config,
                                        const std::string& where, const Preprocessor& preprocessor,
                                        WeightSource& weights, Type precision,
                                        Implementation as = Implementation::by_weights);

    const std::vector<std::string>& labels() const { return model_->labels(); }
    float sure_above() const { return sure_above_; }  // see sure_above_in
    // One line where it was in doubt how to read the files; empty: there was no doubt.
    const std::string& remark() const { return remark_; }
    const DetectionModel& model() const { return *model_; }
    // The phrases of an open-vocabulary model; null if its classes are fixed.
    Phrases* phrases() const { return model_->phrases(); }
    // Sets the phrases. Nothing that was recorded before may still be running, and everything has
    // to be recorded again. An Error if the model's classes are fixed.
    void look_for(const std::vector<std::string>& phrases);
    // Sets the examples, in addition to the phrases.
    void look_for(std::vector<Example> examples);
    // Makes an example of the object in a box of a picture, or of the whole picture. Runs the
    // model; `upload` records the upload of the picture to its image, whose size must have been
    // prepared.
    Example example_in(Arena& scratch, const std::function<void(Commands&)>& upload,
                       const Image& image, const std::optional<Rectangle>& box,
                       const std::string& label);
    const PictureInput& input() const { return input_; }
    Type precision() const { return precision_; }
    // The type of its input, which is fp32 where half precision is not enough.
    Type input_type() const { return model_->input_type(); }
    // Tensors of the file that the model does not use.
    const std::vector<std::string>& unused() const { return unused_; }

    // Prepares for frames of this size, resized to fit into `within` if it is given; false if it is
    // already prepared. Nothing that was recorded for the ninth size before it may still be
    // running.
    bool prepare(Size frame, std::optional<Size> within = std::nullopt);

    // Records everything from the frame, whose size must have been prepared, to the detections.
    void record(Commands& c, const Image& image, DetectionTaps& taps, Findings& findings) const {
        const Image* const images[] = {&image};
        Findings* const all[] = {&findings};
        record(c, images, taps, all);
    }
    // The same for several frames at once, each with its findings; null leaves a place empty. The
    // findings of a frame do not depend on the others.
    void record(Commands& c, std::span<const Image* const> images, DetectionTaps& taps,
                std::span<Findings* const> findings) const;
    // The same with the detector's own findings, for one frame at a time.
    void record(Commands& c, const Image& image, DetectionTaps& taps) {
        record(c, image, taps, findings_);
    }
    const Findings& findings() const { return findings_; }
    // The model alone, for any batch of patches of the prepared size.
    DetectionOutput forward(Commands& c, const Tensor& patches, DetectionTaps& taps) const {
        return model_->forward(c, patches, picture(), taps);
    }

    // Attention maps, (1, grid height, grid width) f32, valid until the scope ends; for a tap that
    // kept the layer in a recording that has run, or earlier in the same one. Self-attention of the
    // cell at a point of the frame, in a layer of the encoder:
    Tensor look_from_point(Commands& c, const DetectionTaps& taps, const Look& look,
                           glm::vec2 point) const;
    // Attention of an object query: in a layer of the decoder, or as a token of YOLOS.
    Tensor look_from_query(Commands& c, const DetectionTaps& taps, const Look& look,
                           uint32_t query) const;
    // Rollout through all layers of the encoder, which the tap must have kept; only for queries
    // that are tokens of the encoder.
    Tensor rollout_from_point(Commands& c, const DetectionTaps& taps, Rollout& rollout,
                              glm::vec2 point) const;
    Tensor rollout_from_query(Commands& c, const DetectionTaps& taps, Rollout& rollout,
                              uint32_t query) const;
    // The score of each patch for a phrase; for a decoder's tap that kept hidden states.
    Tensor look_from_phrase(Commands& c, const DetectionTaps& taps, uint32_t phrase) const;
    // The similarity of each patch to the one at a point, and the patches' features as colours. For
    // an encoder's tap that kept features, if model().has_features().
    Tensor similarity_to_point(Commands& c, const DetectionTaps& taps, glm::vec2 point) const;
    Tensor colours(Commands& c, const DetectionTaps& taps, PatchColours& from) const;
    MapGeometry geometry() const { return geometry_of(input_.plan(), layout()); }
    MapGeometry query_geometry() const { return geometry_of(input_.plan(), query_layout()); }
    // The encoder's tokens, and the keys of the queries' attention, for the prepared size.
    TokenLayout layout() const { return model_->layout(picture()); }
    TokenLayout query_layout() const { return model_->query_layout(picture()); }

private:
    struct Loaded {
        std::unique_ptr<DetectionModel> model;
        std::vector<Buffer> memory;
        std::vector<std::string> unused;
    };
    static Loaded load(Device& device, const Json& config, const std::string& where,
                       WeightSource& weights, Type precision, const Use& use);
    Detector(Device& device, Loaded loaded, Preprocessor preprocessor, Type precision);

    void record_masks(Commands& c, const DetectionOutput& out, DetectionTaps& taps,
                      Findings& findings) const;
    Size picture() const { return {input_.plan().width, input_.plan().height}; }
    uint32_t token_of(uint32_t query) const;
    Tensor look_from(Commands& c, const Tap& tap, const Look& look, uint32_t token,
                     const TokenLayout& keys) const;

    Device& device_;
    Type precision_;
    std::unique_ptr<DetectionModel> model_;
    std::vector<Buffer> memory_;
    std::vector<std::string> unused_;
    std::unique_ptr<Tokenizer> tokenizer_;
    float sure_above_ = 0.5f;
    std::string remark_;
    PictureInput input_;
    AttentionRow attention_row_;
    Findings findings_;
};

}  // namespace saccade
