#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/lecture/page_tensors.h"
#include "gpu/engine.h"
#include "models/attention/tap.h"

// What of a model's tensors goes into the page, which has room for some.

namespace saccade {

constexpr uint64_t qkv_bytes = 9'000'000;  // of all queries, keys and values in the page

// The size of a layer's heads, without padding.
uint32_t head_size_of(const AttentionLayer& layer);
// Removes the padding of each head: (tokens, heads * size).
std::vector<float> packed(const std::vector<float>& rows, uint32_t size);
// `count` evenly spaced numbers below `all`, including the last.
std::vector<uint32_t> evenly(uint32_t all, uint64_t count);
// Adds the queries, keys and, where there are some, values of a layer: "q.3", (tokens, heads,
// size).
void add_qkv(Engine& engine, const AttentionLayer& from, uint32_t layer, PageTensors& tensors);

}  // namespace saccade
