#include "app/live/told_words.h"

#include "app/pipeline/examples.h"
#include "gpu/core/error.h"
#include "models/contrast/phrases.h"

namespace saccade {

namespace {

template <typename Tell>
std::string trouble_with(const Tell& tell) {
    try {
        tell();
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

bool ToldWords::due(const TypedWords& wanted, const Models& models) const {
    return !detector_.is(models.detector, wanted.find) ||
           (models.detector && (like_ != wanted.like || told_ != shown_)) ||
           !classifier_.is(models.classifier, wanted.labels) ||
           !captioner_.is(models.captioner, wanted.question);
}

void ToldWords::tell(const TypedWords& wanted, const Models& models) {
    tell_detector(wanted, models.detector);
    if (!classifier_.is(models.classifier, wanted.labels)) {
        classifier_ = {models.classifier, wanted.labels};
        if (models.classifier)
            classifier_.error =
                trouble_with([&] { saccade::tell(*models.classifier, wanted.labels); });
    }
    if (!captioner_.is(models.captioner, wanted.question)) {
        const bool before = captioner_.model == models.captioner && !captioner_.words.empty();
        captioner_ = {models.captioner, wanted.question};
        if (models.captioner)
            captioner_.error =
                trouble_with([&] { ask(*models.captioner, wanted.question, before); });
    }
}

void ToldWords::tell_detector(const TypedWords& wanted, Detector* detector) {
    const bool other = detector_.model != detector;
    if (other) shown_.clear();
    if (!other && detector_.words == wanted.find && like_ == wanted.like && told_ == shown_) return;
    const bool other_pictures = other || like_ != wanted.like;
    detector_ = {detector, wanted.find};
    like_ = wanted.like;
    told_ = shown_;
    if (!detector) return;
    detector_.error = trouble_with([&] {
        if (other_pictures) of_pictures_ = examples_of(*engine_, *detector, wanted.like);
        std::vector<Example> examples = of_pictures_;
        examples.insert(examples.end(), shown_.begin(), shown_.end());
        saccade::tell(*detector, wanted.find, std::move(examples));
    });
}

Models ToldWords::ready(Models models) {
    auto lacks_words = [](auto* model) {
        return model && model->phrases() && model->phrases()->empty();
    };
    if (lacks_words(models.detector)) models.detector = nullptr;
    if (lacks_words(models.classifier)) models.classifier = nullptr;
    return models;
}

void ToldWords::report(LiveReport& to, const Models& models) const {
    auto tell = [](ModelReport& report, bool takes, const std::string& error) {
        report.takes_words = takes;
        report.words_error = error;
        report.prompts.clear();
    };
    const Phrases* const found = models.detector ? models.detector->phrases() : nullptr;
    const Phrases* const named = models.classifier ? models.classifier->phrases() : nullptr;
    tell(to.detector, found, detector_.error);
    tell(to.classifier, named, classifier_.error);
    tell(to.captioner, models.captioner && models.captioner->model().answers(), captioner_.error);
    to.examples = found ? found->examples().size() : 0;
    if (found) to.detector.prompts = prompts_of(*found);
    if (named) to.classifier.prompts = prompts_of(*named);
    if (to.captioner.takes_words) to.captioner.prompts = {models.captioner->question()};
}

const std::string& ToldWords::error() const {
    if (!detector_.error.empty()) return detector_.error;
    return classifier_.error.empty() ? captioner_.error : classifier_.error;
}

std::string ToldWords::error_in_words() const {
    if (!detector_.words.empty() || !like_.empty())
        if (!detector_.error.empty()) return detector_.error;
    if (!classifier_.words.empty() && !classifier_.error.empty()) return classifier_.error;
    return captioner_.error;
}

}  // namespace saccade
