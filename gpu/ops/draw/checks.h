#pragma once

#include <string>

#include "gpu/ops/common.h"
#include "gpu/ops/draw.h"

namespace saccade {

// A tensor of at least this many words.
inline void require_words(const Tensor& t, uint64_t words, const char* op, const char* what) {
    require(t.type == Type::u32 && t.offset == 0 && t.bytes >= words * sizeof(uint32_t), op,
            std::string(what) + " " + t.shape() + " should be " + std::to_string(words) + " words");
}

}  // namespace saccade
