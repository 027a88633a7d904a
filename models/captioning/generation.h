#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/files/json.h"

namespace saccade {

// How sentences are written: what transformers' generate() would do by the model's files.
struct Generation {
    uint32_t start = 0;           // the first id of every sentence
    std::vector<uint32_t> stops;  // ids that end one
    uint32_t max_length = 20;     // ids, with the start and what else is given
    uint32_t min_length = 0;
    uint32_t max_new = 0;  // ids after what is given; 0: max_length says

    uint32_t beams = 1;
    double length_penalty = 1.0;  // scores are divided by length to this power
    enum class EarlyStopping {
        no,     // stop when a better sentence is unlikely
        yes,    // stop as soon as there are as many sentences as beams
        never,  // stop when a better sentence is impossible
    } early_stopping = EarlyStopping::no;

    double repetition_penalty = 1.0;
    uint32_t no_repeat = 0;            // no sequence of this many ids occurs twice; 0: any may
    std::vector<uint32_t> suppressed;  // never said
    std::vector<uint32_t> first_suppressed;  // never said first
    std::optional<uint32_t> forced_first, forced_last;

    bool ends(uint32_t id) const;
};

// Of a VisionEncoderDecoderModel: generation_config.json where there is one (else null), then what
// older files have in config.json and its "decoder".
Generation read_generation(const Json& config, const std::string& where, const Json* file,
                           const std::string& file_where, uint32_t vocabulary);
// Of a model whose text has a config of its own, "text_config", and begins with a prompt.
Generation read_text_generation(const Json& config, const std::string& where, const Json* file,
                                const std::string& file_where, uint32_t vocabulary);
// Of BLIP, which looks into its "text_config" alone and stops at [SEP].
Generation read_blip_generation(const Json& config, const std::string& where, uint32_t vocabulary);

}  // namespace saccade
