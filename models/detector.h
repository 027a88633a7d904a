#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "gpu/download.h"
#include "gpu/frame.h"
#include "models/attention_maps.h"
#include "models/checkpoint.h"
#include "models/detection_model.h"
#include "models/json.h"
#include "models/look.h"
#include "models/picture_input.h"

namespace saccade {

struct Detection {
    uint32_t id = 0;  // of its class
    float score = 0;
    float left = 0, top = 0, right = 0, bottom = 0;  // pixels of the frame; may reach beyond it
    uint32_t query = 0;                              // who found it, to ask what it looked at
};

// Which detections are wanted.
struct DetectionFilter {
    float threshold = 0.5f;      // only what scores above it
    std::set<uint32_t> classes;  // empty: all
    size_t most = SIZE_MAX;      // the best so many
};

// What a recording leaves, on the device and on its way to the host. Each frame on its way needs
// findings of its own.
class Findings {
public:
    // After the recording has run: the best first.
    std::vector<Detection> detections(const DetectionFilter& filter) const;
    std::vector<float> logits() const { return logits_.floats(); }  // (queries, classes + 1)
    std::vector<float> boxes() const { return boxes_.floats(); }    // (queries, 4)
    // All queries' findings on the device, as detections_into writes them.
    const Tensor& found() const { return found_; }

private:
    friend class Detector;
    void prepare(Device& device, uint32_t queries);
    Buffer memory_;
    Tensor found_;
    Download download_, logits_, boxes_;
};

// A Hugging Face folder that finds objects: DETR and YOLOS.
class Detector {
public:
    // Opens a folder; matrices are stored as `precision`.
    static Detector open(Device& device, const std::filesystem::path& folder, Type precision,
                         LoadProgress progress = {});
    // From a config.json and any source of weights, for benchmarks and tests. `where` names the
    // config in errors; `front` is the precision of what lies before DETR's first norm.
    Detector(Device& device, const Json& config, const std::string& where,
             Preprocessor preprocessor, WeightSource& weights, Type precision,
             std::optional<Type> front = std::nullopt);
    // The same, with a front that suits the weights: fp32 where the scores of DETR's first
    // attention, on a test picture, grow larger than half precision can tell apart.
    static Detector with_suitable_front(Device& device, const Json& config,
                                        const std::string& where, const Preprocessor& preprocessor,
                                        WeightSource& weights, Type precision);

    const std::vector<std::string>& labels() const { return model_->labels(); }
    const DetectionModel& model() const { return *model_; }
    const PictureInput& input() const { return input_; }
    Type precision() const { return precision_; }
    // How it wants its patches; more precisely than the rest where half precision would not do.
    Type input_type() const { return model_->input_type(); }
    // Tensors of the file that the model has no use for.
    const std::vector<std::string>& unused() const { return unused_; }

    // Makes ready for frames of this size, resized to fit into `within` where that is given. False
    // when it was already. Nothing that was recorded for another size may still be running.
    bool prepare(ImageSize frame, std::optional<ImageSize> within = std::nullopt);

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
    Tensor look_from_point(Commands& c, const DetectionTaps& taps, const Look& look, float x,
                           float y) const;
    // What a query looks at: in a layer of DETR's decoder, or as a token of YOLOS.
    Tensor look_from_query(Commands& c, const DetectionTaps& taps, const Look& look,
                           uint32_t query) const;
    MapGeometry geometry() const;
    // Which tokens are what, for frames of the size that was prepared.
    TokenLayout layout() const { return model_->layout(picture()); }

private:
    struct Loaded {
        std::unique_ptr<DetectionModel> model;
        std::vector<Buffer> memory;
        std::vector<std::string> unused;
    };
    static Loaded load(Device& device, const Json& config, const std::string& where,
                       WeightSource& weights, Type precision, Type front);
    Detector(Device& device, Loaded loaded, Preprocessor preprocessor, Type precision);

    Extent picture() const { return {input_.plan().height, input_.plan().width}; }
    Tensor look_from(Commands& c, const Tap::Kept& kept, uint32_t row,
                     std::optional<uint32_t> head) const;

    Type precision_;
    std::unique_ptr<DetectionModel> model_;
    std::vector<Buffer> memory_;
    std::vector<std::string> unused_;
    PictureInput input_;
    AttentionRow attention_row_;
    Findings findings_;
};

}  // namespace saccade
