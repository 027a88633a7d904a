#include "models/captioning/decoding.h"

#include <cstring>

#include "gpu/core/error.h"
#include "gpu/ops/words.h"
#include "models/captioning/beams.h"
#include "models/captioning/decoding_parts.h"
#include "models/captioning/greedy.h"

namespace saccade {

LogitsProcessor::LogitsProcessor(Device& device, const Generation& generation, uint32_t prompt)
    : generation_(generation), prompt_(prompt) {
    std::vector<uint32_t> all = generation.stops;
    all.insert(all.end(), generation.suppressed.begin(), generation.suppressed.end());
    all.insert(all.end(), generation.first_suppressed.begin(), generation.first_suppressed.end());
    if (all.empty()) return;
    lists_ =
        Buffer(device, "banned words",
               tensor_bytes(1, 1, static_cast<uint32_t>(all.size()), Type::u32), Memory::upload);
    std::memcpy(lists_.mapped().data(), all.data(), all.size() * sizeof all[0]);
    lists_.flush();
}

void LogitsProcessor::record(Commands& c, const Tensor& logits, const Tensor& ids,
                             const Tensor& less) const {
    const uint32_t length = ids.rows;
    const auto stops = static_cast<uint32_t>(generation_.stops.size());
    const auto never = static_cast<uint32_t>(generation_.suppressed.size());
    const auto first = static_cast<uint32_t>(generation_.first_suppressed.size());
    const uint32_t begin = length < generation_.min_length ? 0 : stops;
    const uint32_t end = stops + never + (length == prompt_ ? first : 0);
    Restraint r{.penalty = static_cast<float>(generation_.repetition_penalty),
                .run = generation_.no_repeat,
                .less = less};
    if (begin < end) {
        r.banned = make_tensor(lists_.handle(), 0, 1, 1, stops + never + first, Type::u32);
        r.banned.offset = begin;
        r.banned.columns = end - begin;
    }
    if (length == 1 && generation_.forced_first) r.forced = *generation_.forced_first;
    if (length + 1 == generation_.max_length && generation_.forced_last)
        r.forced = *generation_.forced_last;
    if (r.penalty != 1.0f || r.run > 0 || r.banned || r.forced != UINT32_MAX)
        restrain(c, logits, ids, r);
}

std::unique_ptr<Decoding> Decoding::make(Device& device, Arena& scratch, const CaptionModel& model,
                                         const Tensor& memory, const Generation& generation,
                                         std::span<const uint32_t> prompt, KnockOuts* knock_outs) {
    if (prompt.size() >= generation.max_length)
        throw Error("a sentence of at most " + std::to_string(generation.max_length) +
                    " tokens has no room after a prompt of " + std::to_string(prompt.size()) +
                    "; allow longer ones or use a shorter prompt");
    if (generation.beams > 1)
        return std::make_unique<Beams>(device, scratch, model, memory, generation, prompt,
                                       knock_outs);
    return std::make_unique<Greedy>(device, scratch, model, memory, generation, prompt, knock_outs);
}

}  // namespace saccade
