#include "models/classifier.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "gpu/error.h"

namespace saccade {

namespace {

constexpr uint32_t most_classes_wanted = 16;

}  // namespace

Classifier Classifier::open(Device& device, const std::filesystem::path& folder, Type precision,
                            LoadProgress progress) {
    const std::filesystem::path file = config_in(folder);
    const ViTConfig config = read_vit_config(read_json(file), file.string());
    Preprocessor preprocessor = Preprocessor::read(folder);
    Checkpoint checkpoint(folder);
    checkpoint.tell(std::move(progress));
    return Classifier(device, config, std::move(preprocessor), checkpoint, precision);
}

Classifier::Classifier(Device& device, const ViTConfig& config, Preprocessor preprocessor,
                       WeightSource& weights, Type precision)
    : Classifier(device, load(device, config, weights, precision), std::move(preprocessor),
                 precision) {
    check_input();
}

void Classifier::check_input() const {
    const ViTConfig& config = model_.config();
    const std::optional<ImageSize> makes = input_.preprocessor().fixed_size();
    if (makes && *makes == ImageSize{config.image_width, config.image_height}) return;
    throw Error(
        "the model takes pictures of " + std::to_string(config.image_width) + "x" +
        std::to_string(config.image_height) + ", its preprocessor makes " +
        (makes ? std::to_string(makes->width) + "x" + std::to_string(makes->height) : "any size") +
        ": preprocessor_config.json does not match config.json");
}

void Classifier::use(Preprocessor preprocessor) {
    input_ = PictureInput(device_, std::move(preprocessor), input_.patch());
    check_input();
}

Classifier::Classifier(Device& device, Loaded loaded, Preprocessor preprocessor, Type precision)
    : device_(device),
      precision_(precision),
      memory_(std::move(loaded.memory)),
      model_(std::move(loaded.model)),
      unused_(std::move(loaded.unused)),
      input_(device, std::move(preprocessor),
             {model_.config().patch_width, model_.config().patch_height}) {}

Classifier::Loaded Classifier::load(Device& device, const ViTConfig& config, WeightSource& weights,
                                    Type precision) {
    WeightLoader loader(device, weights, precision, "classifier");
    ViTClassifier model(loader, config, config.distilled ? "deit" : "vit");
    return {std::move(model), loader.finish(), weights.unused()};
}

void Ranking::prepare(Device& device, uint32_t classes) {
    if (memory_) return;
    classes_ = classes;
    const uint32_t count = std::min(most_classes_wanted, classes);
    const uint64_t bytes = (tensor_bytes(1, 1, count, Type::f32) + 255) / 256 * 256;
    memory_ = Buffer(device, "classes", 2 * bytes, Memory::device);
    top_ = {.values = make_tensor(memory_.handle(), 0, 1, 1, count, Type::f32),
            .columns = make_tensor(memory_.handle(), bytes, 1, 1, count, Type::u32)};
}

void Classifier::record(Commands& c, std::span<const Image* const> images, Tap& tap,
                        std::span<Ranking* const> rankings) const {
    auto scope = c.scope("classifier");
    const auto count = static_cast<uint32_t>(images.size());
    const Tensor patches = c.scratch(count, input_.patches(), input_.patch_columns(), precision_);
    for (uint32_t i = 0; i < count; ++i)
        if (images[i]) input_.record(c, patches.at_batch(i), *images[i]);
    const Tensor logits = model_.logits(c, patches, tap);
    const Tensor probabilities = softmax(c, logits);
    for (uint32_t i = 0; i < count; ++i) {
        if (!images[i]) continue;
        Ranking& ranking = *rankings[i];
        ranking.prepare(c.device(), static_cast<uint32_t>(labels().size()));
        topk_into(c, ranking.top_, probabilities.at_batch(i));
        ranking.logits_.record(c, logits.at_batch(i));
        ranking.scores_.record(c, ranking.top_.values);
        ranking.ids_.record(c, ranking.top_.columns);
    }
}

std::vector<ClassScore> Ranking::top(uint32_t count) const {
    const std::vector<float> scores = scores_.floats();
    const std::vector<uint32_t> ids = ids_.words();
    std::vector<ClassScore> result;
    for (size_t i = 0; i < ids.size() && i < count; ++i)
        if (ids[i] < classes_) result.push_back({ids[i], scores[i]});
    return result;
}

}  // namespace saccade
