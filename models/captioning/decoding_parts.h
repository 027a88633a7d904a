#pragma once

#include "gpu/core/buffer.h"
#include "models/captioning/decoding.h"

// The parts that greedy search and beam search share.

namespace saccade {

// A tensor with a buffer of its own.
struct OwnTensor {
    OwnTensor(Device& device, const char* name, uint32_t batch, uint32_t rows, uint32_t columns,
              Type type, Memory where = Memory::device)
        : memory(device, name, tensor_bytes(batch, rows, columns, type), where),
          tensor(make_tensor(memory.handle(), 0, batch, rows, columns, type)) {}

    // The first element of a row, in mapped memory.
    template <typename Element>
    Element& at(uint32_t batch, uint32_t row) const {
        const size_t index = size_t(batch) * tensor.batch_stride + size_t(row) * tensor.row_stride;
        return reinterpret_cast<Element*>(memory.mapped().data())[index];
    }

    Buffer memory;
    Tensor tensor;
};

// DecoderState's past, the KV cache.
inline OwnTensor make_past(Device& device, const TextDecoder& decoder, uint32_t sentences,
                           uint32_t words) {
    return {device, "words so far", sentences, words, decoder.past_columns(), decoder.type()};
}

inline uint32_t count(std::span<const uint32_t> ids) { return static_cast<uint32_t>(ids.size()); }

// For destructors of resources that the device may still use. A lost device uses nothing any more,
// and the loss has been reported elsewhere.
inline void wait_unless_lost(const Device& device, Ticket ticket) noexcept {
    try {
        device.wait(ticket, "caption");
    } catch (const std::exception&) {
    }
}

// The sum over several recordings.
inline Commands::Counts counts_of(const std::vector<std::unique_ptr<Commands>>& recordings) {
    Commands::Counts all;
    for (const auto& c : recordings) all += c->counts();
    return all;
}

// generation_config.json's rules for the next token, as transformers' LogitsProcessors: repetition
// penalty, no repeated n-grams, suppressed and forced tokens, minimum length.
class LogitsProcessor {
public:
    LogitsProcessor(Device& device, const Generation& generation, uint32_t prompt);

    // Records the rules for the token after ids (sentences, length, 1), if any apply. less
    // (sentences, 1, 1): the log of the softmax's sum, by which beam search turns logits into
    // log-probabilities before the repetition penalty; none: the penalty applies to the logits.
    void record(Commands& c, const Tensor& logits, const Tensor& ids, const Tensor& less) const;

private:
    Generation generation_;
    uint32_t prompt_;
    Buffer lists_;  // stops, suppressed and first_suppressed ids, in this order
};

}  // namespace saccade
