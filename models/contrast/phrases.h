#pragma once

#include <string>
#include <vector>

#include "gpu/core/buffer.h"
#include "models/contrast/example.h"
#include "models/contrast/text_tower.h"
#include "models/text/tokenizer.h"

namespace saccade {

// The phrases and examples that an open-vocabulary model looks for, as embeddings. The text tower
// encodes them once, when they are set; frames are only compared with the embeddings.
class Phrases {
public:
    // How embeddings are compared: scale * cosine + bias.
    struct Measure {
        float scale = 1.0f, bias = 0.0f;
        float eps = 0.0f;  // added to a vector's norm before it is divided by it
    };
    // `pattern`: the prompt template of the model's paper, such as "a photo of a {}."
    Phrases(Device& device, TextTower tower, const Measure& measure, std::string pattern);

    // Sets the phrases. Nothing recorded with others may still be running, and models have to be
    // recorded again. A label that is empty or too long is an Error, and so is a pattern without
    // {}.
    void use(std::vector<std::string> labels, const Tokenizer& tokenizer);
    void use(std::vector<std::string> labels, const TextIds& ids);
    // Sets the examples, which are further labels after the phrases.
    void use_examples(std::vector<Example> examples);
    const std::vector<Example>& examples() const { return examples_; }
    void forget_words();  // leaves only the examples
    void set_pattern(const std::string& pattern);

    const Measure& measure() const { return measure_; }
    const std::vector<std::string>& labels() const { return labels_; }
    const std::string& pattern() const { return pattern_; }
    std::string prompt(const std::string& label) const;  // the pattern with the label in it
    const TextTower& tower() const { return tower_; }
    bool empty() const { return labels_.empty(); }

    // The embeddings as a linear layer on normalised embeddings of pictures: (phrases, dim),
    // scaled, and the bias. An Error that says what to do if there are none.
    const Linear& layer() const;
    // (1, phrases, dim) f32, normalised.
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

// The score threshold that the model cards and the processors of OWL-ViT and OWLv2 use; their
// scores are not calibrated.
constexpr float phrase_threshold = 0.1f;

// Splits "red mug, my cat" at commas and trims white space. An empty phrase is an Error that names
// the option.
std::vector<std::string> phrases_in(const std::string& text, const std::string& option);

}  // namespace saccade
