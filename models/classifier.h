#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "gpu/download.h"
#include "gpu/frame.h"
#include "models/checkpoint.h"
#include "models/picture_input.h"
#include "models/vit.h"

namespace saccade {

struct ClassScore {
    uint32_t id = 0;
    float score = 0;
};

// What a recording leaves, on the device and on its way to the host. Each frame on its way needs a
// ranking of its own.
class Ranking {
public:
    // After the recording has run: the likeliest first.
    std::vector<ClassScore> top(uint32_t count) const;
    std::vector<float> logits() const { return logits_.floats(); }
    // The likeliest classes on the device, (1, 1, n).
    const Top& on_device() const { return top_; }

private:
    friend class Classifier;
    void prepare(Device& device, uint32_t classes);
    Buffer memory_;
    Top top_;
    uint32_t classes_ = 0;
    Download logits_, scores_, ids_;
};

// A Hugging Face folder that names what a picture shows: ViT and DeiT.
class Classifier {
public:
    // Opens a folder; matrices are stored as `precision`.
    static Classifier open(Device& device, const std::filesystem::path& folder, Type precision,
                           LoadProgress progress = {});
    // From any source of weights, for benchmarks and tests.
    Classifier(Device& device, const ViTConfig& config, Preprocessor preprocessor,
               WeightSource& weights, Type precision);

    const std::vector<std::string>& labels() const { return model_.config().labels; }
    const ViTConfig& config() const { return model_.config(); }
    PictureInput& input() { return input_; }
    // Another preprocessor than the folder's.
    void use(Preprocessor preprocessor);
    Type precision() const { return precision_; }
    // Tensors of the file that the model has no use for.
    const std::vector<std::string>& unused() const { return unused_; }

    // Records everything from the picture to the probabilities. The picture's size must have been
    // prepared.
    void record(Commands& c, const Image& image, Tap& tap, Ranking& ranking) const {
        const Image* const images[] = {&image};
        Ranking* const all[] = {&ranking};
        record(c, images, tap, all);
    }
    // The same for several pictures at once, each with its ranking; null is a place that stays
    // empty. What is found in a picture does not depend on the others.
    void record(Commands& c, std::span<const Image* const> images, Tap& tap,
                std::span<Ranking* const> rankings) const;
    // The same with a ranking of its own, for one frame at a time.
    void record(Commands& c, const Image& image, Tap& tap) { record(c, image, tap, ranking_); }
    const Ranking& ranking() const { return ranking_; }
    // The model alone, for any batch of patches: (batch, 1, classes) f32.
    Tensor logits(Commands& c, const Tensor& patches, Tap& tap) const {
        return model_.logits(c, patches, tap);
    }

private:
    struct Loaded {
        ViTClassifier model;
        std::vector<Buffer> memory;
        std::vector<std::string> unused;
    };
    static Loaded load(Device& device, const ViTConfig& config, WeightSource& weights,
                       Type precision);
    Classifier(Device& device, Loaded loaded, Preprocessor preprocessor, Type precision);

    void check_input() const;

    Device& device_;
    Type precision_;
    std::vector<Buffer> memory_;
    ViTClassifier model_;
    std::vector<std::string> unused_;
    PictureInput input_;
    Ranking ranking_;
};

}  // namespace saccade
