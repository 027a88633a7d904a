#include "app/lecture/selection.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "gpu/transfer/read_back.h"

namespace saccade {

uint32_t head_size_of(const AttentionLayer& layer) {
    // Scores that are not divided do not tell it.
    if (layer.heads.scale == 1) return layer.q.columns / layer.heads.count;
    return static_cast<uint32_t>(std::lround(1 / (layer.heads.scale * layer.heads.scale)));
}

std::vector<float> packed(const std::vector<float>& rows, uint32_t size) {
    const size_t stored = padded(size);
    if (stored == size) return rows;
    std::vector<float> result;
    result.reserve(rows.size() / stored * size);
    for (size_t at = 0; at + stored <= rows.size(); at += stored)
        result.insert(result.end(), rows.begin() + std::ptrdiff_t(at),
                      rows.begin() + std::ptrdiff_t(at + size));
    return result;
}

std::vector<uint32_t> evenly(uint32_t all, uint64_t count) {
    std::vector<uint32_t> result;
    count = std::clamp<uint64_t>(count, 1, all);
    for (uint64_t i = 1; i <= count; ++i)
        result.push_back(static_cast<uint32_t>(i * all / count - 1));
    return result;
}

void add_qkv(Engine& engine, const AttentionLayer& from, uint32_t layer, PageTensors& tensors) {
    const uint32_t size = head_size_of(from);
    for (const auto& [kind, x] : {std::pair("q.", &from.q), {"k.", &from.k}, {"v.", &from.v}})
        if (*x)
            tensors.add(kind + std::to_string(layer), {x->rows, from.heads.count, size},
                        packed(read_back(engine, "lecture", *x), size));
}

}  // namespace saccade
