#include "models/classifier.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "gpu/core/error.h"
#include "models/contrast/phrases.h"
#include "models/registry/registry.h"
#include "models/timm/timm_names.h"
#include "models/weights/weight_loader.h"

namespace saccade {

namespace {

constexpr uint32_t most_classes_wanted = 16;

// Whether each class has a probability of its own (sigmoid) instead of a share of one (softmax), by
// the rule of transformers' image-classification pipeline.
bool classes_are_independent(const Json& config, const std::string& where, size_t classes) {
    const std::string type = JsonFields(config, where).text("problem_type", "");
    if (type == "regression")
        throw Error(where +
                    ": problem_type \"regression\" is not supported; Saccade runs models "
                    "that classify");
    return type == "multi_label_classification" || (type.empty() && classes == 1);
}

}  // namespace

Classifier Classifier::open(Device& device, const std::filesystem::path& folder, Type precision,
                            LoadProgress progress, OpenTokenizer tokenizer, Implementation as) {
    const std::filesystem::path file = config_in(folder);
    const Json config = read_json(file);
    family_for(Task::classify, config, file.string());  // reports another kind of model first
    Preprocessor preprocessor = read_preprocessor(folder, config, file.string());
    Checkpoint checkpoint(folder);
    checkpoint.on_progress(std::move(progress));
    Classifier classifier(device, config, file.string(), std::move(preprocessor), checkpoint,
                          precision, as);
    classifier.sure_above_ = static_cast<float>(
        JsonFields(config, file.string()).number("sure_above", 0, 1, classifier.sure_above_));
    if (classifier.phrases()) classifier.tokenizer_ = tokenizer(folder);
    return classifier;
}

void Classifier::look_for(const std::vector<std::string>& labels, const std::string& pattern) {
    Phrases* const phrases = model_->phrases();
    if (!phrases)
        throw Error(
            "the classifier has fixed classes and takes no --labels; a model that does "
            "is openai/clip-vit-base-patch32");
    if (!tokenizer_)
        throw Error("the classifier's folder has no tokenizer.json, which --labels needs");
    if (!pattern.empty()) phrases->set_pattern(pattern);
    phrases->use(labels, *tokenizer_);
}

Classifier::Classifier(Device& device, const Json& config, const std::string& where,
                       Preprocessor preprocessor, WeightSource& weights, Type precision,
                       Implementation as)
    : Classifier(device, load(device, config, where, weights, precision, as),
                 std::move(preprocessor), precision) {
    independent_ = classes_are_independent(config, where, labels().size());
    check_input();
}

void Classifier::check_input() const {
    if (model_->takes_any_size()) return;
    const Size takes = model_->picture();
    const std::optional<Size> makes = input_.preprocessor().fixed_size();
    if (takes == Size{} || (makes && *makes == takes)) return;
    throw Error("the model takes pictures of " + std::to_string(takes.x) + "x" +
                std::to_string(takes.y) + ", its preprocessor makes " +
                (makes ? std::to_string(makes->x) + "x" + std::to_string(makes->y) : "any size") +
                ": preprocessor_config.json does not match config.json");
}

void Classifier::use(Preprocessor preprocessor) {
    input_ = PictureInput(device_, std::move(preprocessor), input_.patch(), model_->remainder());
    check_input();
}

static Preprocessor adapted(Preprocessor preprocessor, const ClassificationModel& model) {
    model.adapt(preprocessor);
    return preprocessor;
}

Classifier::Classifier(Device& device, Loaded loaded, Preprocessor preprocessor, Type precision)
    : device_(device),
      precision_(precision),
      memory_(std::move(loaded.memory)),
      model_(std::move(loaded.model)),
      unused_(std::move(loaded.unused)),
      input_(device, adapted(std::move(preprocessor), *model_), model_->patch(),
             model_->remainder()),
      attention_row_(device) {}

Classifier::Loaded Classifier::load(Device& device, const Json& config, const std::string& where,
                                    WeightSource& weights, Type precision, Implementation as) {
    const Family& family = family_for(Task::classify, config, where);
    TimmNames timm(weights);
    WeightSource& source = family.timm ? static_cast<WeightSource&>(timm) : weights;
    WeightLoader loader(device, source, precision, "classifier");
    auto model = std::get<Family::Classifier>(family.make)({config, where, loader, loader, as});
    return {std::move(model), loader.finish(), weights.unused()};
}

bool Classifier::prepare(Size frame) {
    if (!input_.prepare(frame)) return false;
    model_->prepare({input_.plan().width, input_.plan().height});
    return true;
}

void Ranking::prepare(Device& device, uint32_t classes) {
    if (memory_ && classes_ == classes) return;
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
    const Tensor patches =
        c.scratch(count, input_.patches(), input_.patch_columns(), model_->input_type());
    for (uint32_t i = 0; i < count; ++i)
        if (images[i]) input_.record(c, patches.at_batch(i), *images[i]);
    const Tensor logits = model_->logits(c, patches, tap);
    if (!logits) return;  // no classifier: only attention and features
    const Tensor probabilities = independent_
                                     ? multiply(c, logits, {}, Type::f32, Activation::sigmoid)
                                     : model_->probabilities(c, logits);
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
    if (!memory_) return {};
    const std::vector<float> scores = scores_.floats();
    const std::vector<uint32_t> ids = ids_.words();
    std::vector<ClassScore> result;
    for (size_t i = 0; i < ids.size() && i < count; ++i)
        if (ids[i] < classes_) result.push_back({ids[i], scores[i]});
    return result;
}

Tensor Classifier::look_from(Commands& c, const Tap& tap, const Look& look, uint32_t token) const {
    return cells_of(c, attention_row_.record(c, tap.layer(look.layer), token, look.head),
                    model_->layout(look.layer));
}

Tensor Classifier::rollout_from(Commands& c, const Tap& tap, Rollout& rollout, uint32_t token,
                                uint32_t skipped) const {
    if (!model_->rolls_out())
        throw Error("rollout needs a model whose layers all have the same tokens");
    return cells_of(c, rollout.record(c, tap, token, 0, skipped), model_->layout(0));
}

Tensor Classifier::look_from_class_token(Commands& c, const Tap& tap, const Look& look) const {
    return look_from(c, tap, look, model_->query_layout(look.layer).first_query);
}

Tensor Classifier::look_from_point(Commands& c, const Tap& tap, const Look& look,
                                   glm::vec2 point) const {
    const TokenLayout queries = model_->query_layout(look.layer);
    return look_from(c, tap, look, token_at(queries, geometry_of(input_.plan(), queries), point));
}

Tensor Classifier::rollout_from_class_token(Commands& c, const Tap& tap, Rollout& rollout) const {
    return rollout_from(c, tap, rollout, model_->layout(0).first_query);
}

Tensor Classifier::rollout_from_point(Commands& c, const Tap& tap, Rollout& rollout,
                                      glm::vec2 point) const {
    return rollout_from(c, tap, rollout, token_at(model_->layout(0), geometry(), point),
                        model_->pools_last() ? 1 : 0);
}

Tensor Classifier::look_from_phrase(Commands& c, const Tap& tap, uint32_t phrase) const {
    return cells_of_column(c, model_->likeness(c, tap), phrase, model_->layout(0));
}

Tensor Classifier::similarity_to_point(Commands& c, const Tap& tap, glm::vec2 point) const {
    const TokenLayout tokens = model_->feature_layout();
    return similarity_map(c, tap, tokens, token_at(tokens, feature_geometry(), point));
}

Tensor Classifier::similarity_to_class_token(Commands& c, const Tap& tap) const {
    const TokenLayout tokens = model_->feature_layout();
    return similarity_map(c, tap, tokens, tokens.first_query);
}

Tensor Classifier::colours(Commands& c, const Tap& tap, PatchColours& from) const {
    return from.record(c, tap, model_->feature_layout());
}

MapGeometry Classifier::feature_geometry() const {
    return geometry_of(input_.plan(), model_->feature_layout());
}

MapGeometry Classifier::geometry(uint32_t layer) const {
    return geometry_of(input_.plan(), model_->layout(layer));
}

MapGeometry Classifier::query_geometry(uint32_t layer) const {
    return geometry_of(input_.plan(), model_->query_layout(layer));
}

}  // namespace saccade
