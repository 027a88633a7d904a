#pragma once

#include <string>

#include "app/live/state/status.h"
#include "app/live/state/wishes.h"
#include "app/pipeline/models_in_use.h"

namespace saccade {

// Prompts of the loop's models: phrases to find, labels to choose from, a question. Text is encoded
// once, when it changes; frames are compared with its embeddings.
class Prompts {
public:
    explicit Prompts(Engine& engine) : engine_(&engine) {}

    // Whether a model lacks a prompt that is wanted.
    bool due(const PromptText& wanted, const Models& models) const;
    // Examples for the detector besides its text; another detector starts without them.
    void use_examples(std::vector<Example> examples) { examples_ = std::move(examples); }
    const std::vector<Example>& examples() const { return examples_; }
    // Gives the models their prompts. No recording with these models may be running, and all have
    // to be recorded again. Text that a model cannot take leaves its prompt as it was.
    void apply(const PromptText& wanted, const Models& models);

    // The models that can run: one that looks for phrases needs some.
    static Models ready(Models models);

    // Whether the models take text, how they read it, and what went wrong.
    void report(Status& to, const Models& models) const;
    // The first error; empty: none.
    const std::string& error() const;
    // The same, but a prompt that is still missing is no error.
    std::string error_in_text() const;

private:
    // The prompt of one model.
    struct Prompt {
        const void* model = nullptr;
        std::string text;
        std::string error = {};
        bool is(const void* of, const std::string& wanted) const {
            return model == of && (!of || text == wanted);
        }
    };
    void apply_to_detector(const PromptText& wanted, Detector* detector);

    Engine* engine_;
    Prompt detector_, classifier_, captioner_;
    std::vector<std::string> like_;     // pictures that the detector has as examples
    std::vector<Example> of_pictures_;  // their embeddings
    std::vector<Example> examples_, applied_examples_;
};

}  // namespace saccade
