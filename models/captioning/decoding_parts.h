#pragma once

#include "gpu/core/buffer.h"
#include "models/captioning/decoding.h"

// What the ways of decoding share.

namespace saccade {

// Memory that a tensor has for itself.
struct OwnTensor {
    OwnTensor(Device& device, const char* name, uint32_t batch, uint32_t rows, uint32_t columns,
              Type type, Memory where = Memory::device)
        : memory(device, name, tensor_bytes(batch, rows, columns, type), where),
          tensor(make_tensor(memory.handle(), 0, batch, rows, columns, type)) {}

    // Of mapped memory: the first element of a row.
    template <typename Element>
    Element& at(uint32_t batch, uint32_t row) const {
        const size_t index = size_t(batch) * tensor.batch_stride + size_t(row) * tensor.row_stride;
        return reinterpret_cast<Element*>(memory.mapped().data())[index];
    }

    Buffer memory;
    Tensor tensor;
};

// DecoderState's past.
inline OwnTensor make_past(Device& device, const TextDecoder& decoder, uint32_t sentences,
                           uint32_t words) {
    return {device, "words so far", sentences, words, decoder.past_columns(), decoder.type()};
}

inline uint32_t count(std::span<const uint32_t> ids) { return static_cast<uint32_t>(ids.size()); }

// For destructors: nothing may go while the device uses it. If the device is lost it uses nothing
// any more, and whoever could still be told has been.
inline void wait_unless_lost(const Device& device, Ticket ticket) noexcept {
    try {
        device.wait(ticket, "caption");
    } catch (const std::exception&) {
    }
}

// What several recordings are made of.
inline Commands::Counts counts_of(const std::vector<std::unique_ptr<Commands>>& recordings) {
    Commands::Counts all;
    for (const auto& c : recordings) all += c->counts();
    return all;
}

// What generation_config.json says may not be said, or has to be.
class Rules {
public:
    Rules(Device& device, const Generation& generation, uint32_t given);

    // Records what the step that follows ids (sentences, said, 1) may not say, if there is
    // anything. less (sentences, 1, 1) is what makes log-probabilities of logits, which beam search
    // weighs; none: the logits are weighed as they are.
    void record(Commands& c, const Tensor& logits, const Tensor& ids, const Tensor& less) const;

private:
    Generation generation_;
    uint32_t given_;
    Buffer lists_;  // ids that end a sentence, that are never said, that are never said first
};

}  // namespace saccade
