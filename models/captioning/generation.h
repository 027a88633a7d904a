#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/files/json.h"

namespace saccade {

// The parameters of transformers' generate(), read from the model's files.
struct Generation {
    uint32_t start = 0;           // the first id of every sentence
    std::vector<uint32_t> stops;  // ids that end a sentence (eos)
    uint32_t max_length = 20;     // ids, including the start token and the prompt
    uint32_t min_length = 0;
    uint32_t max_new = 0;  // ids after the prompt; 0: max_length counts

    uint32_t beams = 1;
    double length_penalty = 1.0;  // scores are divided by length ^ length_penalty
    enum class EarlyStopping {
        no,     // stops when a better sentence is unlikely
        yes,    // stops as soon as there are as many finished sentences as beams
        never,  // stops when a better sentence is impossible
    } early_stopping = EarlyStopping::no;

    double repetition_penalty = 1.0;
    uint32_t no_repeat = 0;                  // no_repeat_ngram_size; 0: n-grams may repeat
    std::vector<uint32_t> suppressed;        // ids that are never generated
    std::vector<uint32_t> first_suppressed;  // ids that are never generated first
    std::optional<uint32_t> forced_first, forced_last;

    bool ends(uint32_t id) const;
};

// For a VisionEncoderDecoderModel: from generation_config.json (null if there is none), then from
// config.json and its "decoder", where older files have them.
Generation read_generation(const Json& config, const std::string& where, const Json* file,
                           const std::string& file_where, uint32_t vocabulary);
// For a model with a "text_config" whose text begins with a prompt.
Generation read_text_generation(const Json& config, const std::string& where, const Json* file,
                                const std::string& file_where, uint32_t vocabulary);
// For BLIP, which reads its "text_config" only and stops at [SEP].
Generation read_blip_generation(const Json& config, const std::string& where, uint32_t vocabulary);

}  // namespace saccade
