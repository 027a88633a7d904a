#include "app/pipeline/models_in_use.h"

#include <spdlog/spdlog.h>

#include <chrono>

#include "app/frame/source.h"

namespace saccade {

namespace {

// Opens one of them, and says so to those who want to know.
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

Imagery imagery_of(const std::string& source) {
    return is_synth(source) ? Imagery::emoji : Imagery::photographs;
}

ModelNames ModelNames::or_default(Imagery imagery) const {
    return {.detector = model_or_default(detector, Task::detect, imagery),
            .classifier = model_or_default(classifier, Task::classify, imagery),
            .captioner = model_or_default(captioner, Task::caption, imagery)};
}

ModelsInUse ModelsInUse::open(Engine& engine, const ModelNames& names) {
    Device& device = engine.device();
    const Type precision = engine.precision();
    ModelsInUse models;
    models.detector = open_model<Detector>(names.detector, [&](const auto& folder) {
        return Detector::open(device, folder, precision);
    });
    if (models.detector && models.detector->input_type() != precision)
        spdlog::warn("'{}': its features outgrow half precision; its backbone runs in fp32",
                     names.detector);
    models.classifier = open_model<Classifier>(names.classifier, [&](const auto& folder) {
        return Classifier::open(device, folder, precision);
    });
    models.captioner = open_model<Captioner>(names.captioner, [&](const auto& folder) {
        return Captioner::open(device, engine.scratch(), folder, Tokenizer::open, precision);
    });
    return models;
}

}  // namespace saccade
