#include "app/live/models/prompts.h"

#include "app/pipeline/examples.h"
#include "gpu/core/error.h"
#include "models/contrast/phrases.h"

namespace saccade {

namespace {

template <typename Apply>
std::string error_of_prompt(const Apply& apply) {
    try {
        apply();
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

std::vector<std::string> prompts_of(const Phrases& phrases) {
    std::vector<std::string> prompts;
    for (const std::string& label : phrases.labels()) prompts.push_back(phrases.prompt(label));
    return prompts;
}

void ask(Captioner& captioner, const std::string& question, bool asked_before) {
    if (!question.empty()) return captioner.ask(question);
    if (asked_before && captioner.model().answers()) captioner.ask(Captioner::default_question);
}

}  // namespace

bool Prompts::due(const PromptText& wanted, const Models& models) const {
    return !detector_.is(models.detector, wanted.find) ||
           (models.detector && (like_ != wanted.like || applied_examples_ != examples_)) ||
           !classifier_.is(models.classifier, wanted.labels) ||
           !captioner_.is(models.captioner, wanted.question);
}

void Prompts::apply(const PromptText& wanted, const Models& models) {
    apply_to_detector(wanted, models.detector);
    if (!classifier_.is(models.classifier, wanted.labels)) {
        classifier_ = {models.classifier, wanted.labels};
        if (models.classifier)
            classifier_.error = error_of_prompt([&] { tell(*models.classifier, wanted.labels); });
    }
    if (!captioner_.is(models.captioner, wanted.question)) {
        const bool before = captioner_.model == models.captioner && !captioner_.text.empty();
        captioner_ = {models.captioner, wanted.question};
        if (models.captioner)
            captioner_.error =
                error_of_prompt([&] { ask(*models.captioner, wanted.question, before); });
    }
}

void Prompts::apply_to_detector(const PromptText& wanted, Detector* detector) {
    const bool replaced = detector_.model != detector;
    if (replaced) examples_.clear();
    if (!replaced && detector_.text == wanted.find && like_ == wanted.like &&
        applied_examples_ == examples_)
        return;
    const bool other_pictures = replaced || like_ != wanted.like;
    detector_ = {detector, wanted.find};
    like_ = wanted.like;
    applied_examples_ = examples_;
    if (!detector) return;
    detector_.error = error_of_prompt([&] {
        if (other_pictures) of_pictures_ = examples_of(*engine_, *detector, wanted.like);
        std::vector<Example> examples = of_pictures_;
        examples.insert(examples.end(), examples_.begin(), examples_.end());
        tell(*detector, wanted.find, std::move(examples));
    });
}

Models Prompts::ready(Models models) {
    auto lacks_words = [](auto* model) {
        return model && model->phrases() && model->phrases()->empty();
    };
    if (lacks_words(models.detector)) models.detector = nullptr;
    if (lacks_words(models.classifier)) models.classifier = nullptr;
    return models;
}

void Prompts::report(Status& to, const Models& models) const {
    auto set = [](ModelStatus& model, bool takes, const std::string& error) {
        model.takes_words = takes;
        model.words_error = error;
        model.prompts.clear();
    };
    const Phrases* const found = models.detector ? models.detector->phrases() : nullptr;
    const Phrases* const named = models.classifier ? models.classifier->phrases() : nullptr;
    set(to.detector, found, detector_.error);
    set(to.classifier, named, classifier_.error);
    set(to.captioner, models.captioner && models.captioner->model().answers(), captioner_.error);
    to.examples = found ? found->examples().size() : 0;
    if (found) to.detector.prompts = prompts_of(*found);
    if (named) to.classifier.prompts = prompts_of(*named);
    if (to.captioner.takes_words) to.captioner.prompts = {models.captioner->question()};
}

const std::string& Prompts::error() const {
    if (!detector_.error.empty()) return detector_.error;
    return classifier_.error.empty() ? captioner_.error : classifier_.error;
}

std::string Prompts::error_in_text() const {
    if (!detector_.text.empty() || !like_.empty())
        if (!detector_.error.empty()) return detector_.error;
    if (!classifier_.text.empty() && !classifier_.error.empty()) return classifier_.error;
    return captioner_.error;
}

}  // namespace saccade
