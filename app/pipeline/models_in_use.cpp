#include "app/pipeline/models_in_use.h"

#include <spdlog/spdlog.h>

#include <chrono>

#include "app/frame/source.h"
#include "app/pipeline/examples.h"
#include "gpu/core/error.h"
#include "models/contrast/phrases.h"

namespace saccade {

namespace {

// Opens a model, and logs its name.
template <typename Model, typename Open>
std::unique_ptr<Model> open_model(const std::string& name, const Open& open) {
    if (name == "none") return nullptr;
    const auto begin = std::chrono::steady_clock::now();
    auto model = std::make_unique<Model>(open(find_model(name)));
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
    spdlog::info("{} loaded in {:.0f} ms", name, took.count());
    for (const std::string& tensor : model->unused())
        spdlog::info("tensor '{}' is not used by this model", tensor);
    return model;
}

}  // namespace

Imagery imagery_of(const SourceName& source) {
    return is_synth(source) ? Imagery::emoji : Imagery::photographs;
}

ModelNames ModelNames::or_default(Imagery imagery) const {
    return {.detector = model_or_default(detector, Task::detect, imagery),
            .classifier = model_or_default(classifier, Task::classify, imagery),
            .captioner = model_or_default(captioner, Task::caption, imagery),
            .find = find,
            .labels = labels,
            .question = question,
            .like = like,
            .as = as};
}

void log_choices(const Detector& detector, const std::string& name) {
    if (!detector.remark().empty()) spdlog::warn("'{}': {}", name, detector.remark());
    if (detector.input_type() != detector.precision())
        spdlog::warn("'{}': its features outgrow half precision; its backbone runs in fp32", name);
}

ModelsInUse ModelsInUse::open(Engine& engine, const ModelNames& names) {
    Device& device = engine.device();
    const Type precision = engine.precision();
    ModelsInUse models;
    models.detector = open_model<Detector>(names.detector, [&](const auto& folder) {
        return Detector::open(device, folder, precision, {}, Tokenizer::open, names.as);
    });
    if (models.detector) {
        tell(*models.detector, names.find, examples_of(engine, *models.detector, names.like));
        log_choices(*models.detector, names.detector);
    }
    models.classifier = open_model<Classifier>(names.classifier, [&](const auto& folder) {
        return Classifier::open(device, folder, precision, {}, Tokenizer::open, names.as);
    });
    if (models.classifier) tell(*models.classifier, names.labels);
    models.captioner = open_model<Captioner>(names.captioner, [&](const auto& folder) {
        return Captioner::open(device, engine.scratch(), folder, Tokenizer::open, precision);
    });
    if (models.captioner && !names.question.empty()) models.captioner->ask(names.question);
    if (!models.detector && !names.find.empty()) throw Error("--find needs a --detector");
    if (!models.detector && !names.like.empty()) throw Error("--like needs a --detector");
    if (!models.classifier && !names.labels.empty()) throw Error("--labels needs a --classifier");
    if (!models.captioner && !names.question.empty()) throw Error("--ask needs a --captioner");
    return models;
}

void tell(Detector& detector, const std::string& find, std::vector<Example> examples) {
    const bool shown = !examples.empty();
    if (shown || detector.phrases()) detector.look_for(std::move(examples));
    if (!find.empty()) return detector.look_for(phrases_in(find, "--find"));
    if (shown) return detector.phrases()->forget_words();
    if (detector.phrases())
        throw Error("the detector finds what you name: add --find \"red mug, my cat\"");
}

void tell(Classifier& classifier, const std::string& labels, const std::string& pattern) {
    if (!labels.empty()) return classifier.look_for(phrases_in(labels, "--labels"), pattern);
    if (classifier.phrases())
        throw Error("the classifier names what you tell it to: add --labels \"cat, dog, nothing\"");
}

}  // namespace saccade
