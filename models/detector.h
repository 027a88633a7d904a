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
#include "models/files/json.h"
#include "models/picture/picture_input.h"
#include "models/text/tokenizer.h"

namespace saccade {

struct Detection {
    uint32_t id = 0;  // of its class
    float score = 0;
    Rectangle box;       // pixels of the frame; may reach beyond it
    uint32_t query = 0;  // who found it, to ask what it looked at
    std::vector<uint32_t> mask = {};  // run lengths, see mask_runs; empty: there is none
};

// Which detections are wanted.
struct DetectionFilter {
    float threshold = 0.5f;      // only what scores above it
    std::map<uint32_t, float> thresholds = {};  // of classes that have one of their own
    std::set<uint32_t> classes;  // empty: all
    size_t most = SIZE_MAX;      // keeps only the best ones
    bool masks = false;          // those too, where there are any
    float overlap = 1;           // one that overlaps a better one by more (IoU) is left out

    // Whether a device that knows one threshold and nothing of overlaps draws what is wanted.
    bool is_plain() const { return thresholds.empty() && overlap >= 1; }
    float least_score(uint32_t id) const {
        const auto own = thresholds.find(id);
        return own == thresholds.end() ? threshold : own->second;
    }
};

// What a recording leaves, on the device and on its way to the host. Each frame on its way needs
// findings of its own.
class Findings {
public:
    // After the recording has run: the best first.
    std::vector<Detection> detections(const DetectionFilter& filter) const;
    // As the model's heads leave them, see DetectionOutput.
    std::vector<float> logits() const { return logits_.floats(); }
    std::vector<float> boxes() const { return boxes_.floats(); }
    // What the heads saw of each query, row after row: of which thing it is, and what that looks
    // like. Empty unless the recording's tap of the decoder keeps hidden states.
    std::vector<float> query_states() const;
    // All that was found on the device, as DetectionModel::find writes it.
    const Tensor& found() const { return found_; }

    // Masks of the best objects, for models that make them. Those of which queries, the best first:
    std::vector<uint32_t> masked_queries() const;
    // Logits of their masks, one after the other, and the size of each.
    std::vector<float> mask_logits() const { return masks_download_.floats(); }
    Size mask_size() const { return mask_size_; }
    // The same on the device: (1, n, cells) f32, and (1, 2, n) u32 as best_queries_into makes it.
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
    std::vector<bool> stuff_;  // which classes are, where masks are panoptic; else empty
    bool has_states_ = false;
    Download download_, logits_, boxes_, states_, masked_download_, masks_download_;
};

// The score above which boxes of this folder's detector are worth showing: "sure_above" of its
// config.json, or one half.
float sure_above_in(const std::filesystem::path& folder);

// A Hugging Face folder that finds objects.
class Detector {
public:
    // Opens a folder; matrices are stored as `precision`.
    // `tokenizer` is Tokenizer::open for models that are told in words what to find.
    static Detector open(Device& device, const std::filesystem::path& folder, Type precision,
                         LoadProgress progress = {}, OpenTokenizer tokenizer = no_tokenizer);
    // From a config.json and any source of weights, for benchmarks and tests. `where` names the
    // config in errors; `front` is the precision of what lies before the model's first norm.
    Detector(Device& device, const Json& config, const std::string& where,
             Preprocessor preprocessor, WeightSource& weights, Type precision,
             std::optional<Type> front = std::nullopt);
    // The same, with a front that suits the weights: see DetectionModel::front_outgrows_half.
    static Detector with_suitable_front(Device& device, const Json& config,
                                        const std::string& where, const Preprocessor& preprocessor,
                                        WeightSource& weights, Type precision);

    const std::vector<std::string>& labels() const { return model_->labels(); }
    float sure_above() const { return sure_above_; }  // see sure_above_in
    const DetectionModel& model() const { return *model_; }
    // What the model is told to look for; null if its classes are its own.
    Phrases* phrases() const { return model_->phrases(); }
    // Finds these from now on. Nothing that was recorded before may still be running, and all has to
    // be recorded again. An Error if the model's classes are its own.
    void look_for(const std::vector<std::string>& phrases);
    // The same of things that were shown instead, besides what was named.
    void look_for(std::vector<Example> examples);
    // What lies in a box of a picture, or fills all of it, to look for more like it. Runs the model;
    // `upload` records how the picture comes to its image, whose size must have been prepared.
    Example example_in(Arena& scratch, const std::function<void(Commands&)>& upload,
                       const Image& image, const std::optional<Rectangle>& box,
                       const std::string& label);
    const PictureInput& input() const { return input_; }
    Type precision() const { return precision_; }
    // How it wants its patches; more precisely than the rest where half precision would not do.
    Type input_type() const { return model_->input_type(); }
    // Tensors of the file that the model has no use for.
    const std::vector<std::string>& unused() const { return unused_; }

    // Makes ready for frames of this size, resized to fit into `within` where that is given. False
    // when it was already. Nothing that was recorded for another size may still be running.
    bool prepare(Size frame, std::optional<Size> within = std::nullopt);

    // Records everything from the frame to the detections. Its size must have been prepared.
    void record(Commands& c, const Image& image, DetectionTaps& taps, Findings& findings) const {
        const Image* const images[] = {&image};
        Findings* const all[] = {&findings};
        record(c, images, taps, all);
    }
    // The same for several frames at once, each with its findings; null is a place that stays
    // empty. What is found in a frame does not depend on the others.
    void record(Commands& c, std::span<const Image* const> images, DetectionTaps& taps,
                std::span<Findings* const> findings) const;
    // The same with findings of its own, for one frame at a time.
    void record(Commands& c, const Image& image, DetectionTaps& taps) {
        record(c, image, taps, findings_);
    }
    const Findings& findings() const { return findings_; }
    // The model alone, for any batch of patches of the size that was prepared.
    DetectionOutput forward(Commands& c, const Tensor& patches, DetectionTaps& taps) const {
        return model_->forward(c, patches, picture(), taps);
    }

    // Maps of attention, (1, grid height, grid width) f32, valid until the scope ends; for a tap
    // that kept the layer in a recording that has run, or runs before in the same one. What a point
    // of the frame looks at, in a layer of the encoder:
    Tensor look_from_point(Commands& c, const DetectionTaps& taps, const Look& look,
                           glm::vec2 point) const;
    // What a query looks at: in a layer of DETR's decoder, or as a token of YOLOS.
    Tensor look_from_query(Commands& c, const DetectionTaps& taps, const Look& look,
                           uint32_t query) const;
    // The same through all layers of the encoder, all of which the tap has kept. Only queries that
    // are tokens of the encoder can be followed.
    Tensor rollout_from_point(Commands& c, const DetectionTaps& taps, Rollout& rollout,
                              glm::vec2 point) const;
    Tensor rollout_from_query(Commands& c, const DetectionTaps& taps, Rollout& rollout,
                              uint32_t query) const;
    // How much each patch is like a phrase that the detector was told; for a tap of the decoder that
    // kept hidden states.
    Tensor look_from_phrase(Commands& c, const DetectionTaps& taps, uint32_t phrase) const;
    // How much each patch is like the one at a point, by their features; and those as colours. For
    // an encoder's tap that kept features, if model().tells_features().
    Tensor similarity_to_point(Commands& c, const DetectionTaps& taps, glm::vec2 point) const;
    Tensor colours(Commands& c, const DetectionTaps& taps, PatchColours& from) const;
    MapGeometry geometry() const { return geometry_of(input_.plan(), layout()); }
    MapGeometry query_geometry() const { return geometry_of(input_.plan(), query_layout()); }
    // Which tokens are what, for frames of the size that was prepared; and what queries look at.
    TokenLayout layout() const { return model_->layout(picture()); }
    TokenLayout query_layout() const { return model_->query_layout(picture()); }

private:
    struct Loaded {
        std::unique_ptr<DetectionModel> model;
        std::vector<Buffer> memory;
        std::vector<std::string> unused;
    };
    static Loaded load(Device& device, const Json& config, const std::string& where,
                       WeightSource& weights, Type precision, Type front);
    Detector(Device& device, Loaded loaded, Preprocessor preprocessor, Type precision);

    void record_masks(Commands& c, const DetectionOutput& out, DetectionTaps& taps,
                      Findings& findings) const;
    Size picture() const { return {input_.plan().width, input_.plan().height}; }
    uint32_t token_of(uint32_t query) const;
    Tensor look_from(Commands& c, const Tap& tap, const Look& look, uint32_t token,
                     const TokenLayout& seen) const;

    Device& device_;
    Type precision_;
    std::unique_ptr<DetectionModel> model_;
    std::vector<Buffer> memory_;
    std::vector<std::string> unused_;
    std::unique_ptr<Tokenizer> tokenizer_;
    float sure_above_ = 0.5f;
    PictureInput input_;
    AttentionRow attention_row_;
    Findings findings_;
};

}  // namespace saccade
