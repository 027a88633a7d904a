#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "gpu/engine.h"
#include "gpu/transfer/frame.h"
#include "models/files/implementation.h"

namespace saccade {

// Inputs besides the picture, from a JSON file such as a parity case's golden.json.
struct DumpInputs {
    std::vector<uint32_t> top5_queries;  // whose attention is written; empty: the best five
    std::vector<uint32_t> top5_patches;  // the same for open-vocabulary detectors
    // Texts of the same length and their masks (1: not padding), a question, a prompt.
    std::vector<std::vector<uint32_t>> input_ids, attention_mask;
    std::vector<uint32_t> question_ids, prompt_ids;
    Implementation as = Implementation::by_weights;  // not from the file: whose code computes it

    static DumpInputs read(const std::filesystem::path& file);
};

// Runs a model on one picture and writes the tensors that the parity kit compares with
// transformers.
void dump(Engine& engine, const std::filesystem::path& model, const PictureView& picture,
          const DumpInputs& inputs, const std::filesystem::path& out);

}  // namespace saccade
