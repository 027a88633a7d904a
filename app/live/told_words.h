#pragma once

#include <string>

#include "app/live/report.h"
#include "app/live/state.h"
#include "app/pipeline/models_in_use.h"

namespace saccade {

// What the models of a loop have been told in words, and what came of it. Text is encoded once, when
// it is told; frames only meet the vectors.
class ToldWords {
public:
    explicit ToldWords(Engine& engine) : engine_(&engine) {}

    // Whether a model has not been told yet what the person wants of it.
    bool due(const TypedWords& wanted, const Models& models) const;
    // What was shown to the detector of now, besides what is typed; another one has not seen it.
    void show(std::vector<Example> examples) { shown_ = std::move(examples); }
    const std::vector<Example>& shown() const { return shown_; }
    // Tells them. Nothing that was recorded with these models may be running, and all has to be
    // recorded again. Words that a model cannot take leave it with those it had.
    void tell(const TypedWords& wanted, const Models& models);

    // Of these models, those that can work: one that looks for phrases needs some.
    static Models ready(Models models);

    // For the panels: whether the models take words, how they read them, and what went wrong.
    void report(LiveReport& to, const Models& models) const;
    // What went wrong first; empty: nothing.
    const std::string& error() const;
    // The same, but that nothing was said yet is not wrong.
    std::string error_in_words() const;

private:
    struct Told {
        const void* model = nullptr;
        std::string words;
        std::string error = {};
        bool is(const void* of, const std::string& wanted) const {
            return model == of && (!of || words == wanted);
        }
    };
    void tell_detector(const TypedWords& wanted, Detector* detector);

    Engine* engine_;
    Told detector_, classifier_, captioner_;
    std::vector<std::string> like_;      // that the detector was told
    std::vector<Example> of_pictures_;   // what it saw there
    std::vector<Example> shown_, told_;  // to be told, and told
};

}  // namespace saccade
