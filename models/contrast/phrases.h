#pragma once

#include <string>
#include <vector>

#include "gpu/core/buffer.h"
#include "models/contrast/example.h"
#include "models/contrast/text_tower.h"
#include "models/text/tokenizer.h"

namespace saccade {

// What a model is told to look for: words as the text tower makes vectors of them. That is done once,
// when they are given; frames only meet the vectors.
class Phrases {
public:
    // How the vectors meet those of a picture: scale * cosine + bias.
    struct Measure {
        float scale = 1.0f, bias = 0.0f;
        float eps = 0.0f;  // added to a vector's length before it is divided by that
    };
    // `pattern` is the sentence that the model's paper makes of a label: "a photo of a {}."
    Phrases(Device& device, TextTower tower, const Measure& measure, std::string pattern);

    // Looks for these from now on. Nothing recorded with others may still be running, and what was
    // recorded has to be recorded again. A label that is empty or too long is an Error, and so is a
    // pattern without {}.
    void use(std::vector<std::string> labels, const Tokenizer& tokenizer);
    void use(std::vector<std::string> labels, const TextIds& ids);
    // Besides the phrases, what was shown instead of named; each is one more label.
    void use_examples(std::vector<Example> examples);
    const std::vector<Example>& examples() const { return examples_; }
    void forget_words();  // and look for the examples alone
    void set_pattern(const std::string& pattern);

    const std::vector<std::string>& labels() const { return labels_; }
    const std::string& pattern() const { return pattern_; }
    std::string prompt(const std::string& label) const;  // what the tower reads of it
    const TextTower& tower() const { return tower_; }
    bool empty() const { return labels_.empty(); }

    // The vectors as a layer on those of pictures, of length 1: (phrases, dim), scaled, and the bias.
    // An Error says what to do if nothing has been given.
    const Linear& layer() const;
    // (1, phrases, dim) f32, of length 1.
    const Tensor& vectors() const { return vectors_; }

private:
    std::vector<uint32_t> ids_of(const std::string& label, const Tokenizer& tokenizer) const;
    void make_room(uint32_t count);
    void encode();
    void add_examples(Commands& c);

    Device* device_;
    TextTower tower_;
    Measure measure_;
    std::string pattern_;
    std::vector<std::string> labels_;  // of the phrases, then of the examples
    TextIds ids_;                      // of the phrases
    std::vector<Example> examples_;
    Buffer example_memory_;
    Buffer memory_;
    Tensor vectors_;
    Linear layer_;
};

// Scores of such models are not calibrated: this is what the cards of OWL-ViT and OWLv2 take, and what
// their processor's post-processing leaves out below.
constexpr float phrase_threshold = 0.1f;

// "red mug, my cat" as a list: cut at commas, without white space around. An empty one is an Error
// that names the option.
std::vector<std::string> phrases_in(const std::string& text, const std::string& option);

}  // namespace saccade
