#pragma once

#include <cstring>
#include <span>
#include <string>

#include "gpu/core/buffer.h"
#include "gpu/core/error.h"
#include "gpu/core/tensor.h"

namespace saccade {

// Mapped memory for parameters that change between two runs of a recording. The CPU rewrites it now
// and then; kernels see it as words. Zero at first.
class MappedWords {
public:
    MappedWords(Device& device, std::string name, uint32_t words)
        : buffer_(device, std::move(name), tensor_bytes(1, 1, words, Type::u32), Memory::mapped) {
        std::memset(buffer_.mapped().data(), 0, buffer_.bytes());
        buffer_.flush();
    }

    Tensor tensor() const {
        const auto words = static_cast<uint32_t>(buffer_.bytes() / sizeof(uint32_t));
        return make_tensor(buffer_.handle(), 0, 1, 1, words, Type::u32);
    }
    std::span<std::byte> bytes() const { return buffer_.mapped(); }

    // Writes structs of words, beginning at `word`. The device sees them after flush().
    template <typename Struct>
    void write(uint32_t word, std::span<const Struct> values) {
        if (word * sizeof(uint32_t) + values.size_bytes() > buffer_.bytes())
            throw Error("'" + buffer_.name() + "' is too small for what is written to it");
        if (!values.empty())
            std::memcpy(&buffer_.mapped()[word * sizeof(uint32_t)], values.data(),
                        values.size_bytes());
    }
    template <typename Struct>
    void write(uint32_t word, const Struct& value) {
        write(word, std::span(&value, 1));
    }
    void flush() const { buffer_.flush(); }

private:
    Buffer buffer_;
};

}  // namespace saccade
