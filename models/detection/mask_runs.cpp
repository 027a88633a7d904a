#include "models/detection/mask_runs.h"

#include <algorithm>
#include <cmath>

namespace saccade {

namespace {

// Between which two cells a pixel lies, and how near it is to the second.
struct Between {
    uint32_t low = 0, high = 0;
    float t = 0;
};

std::vector<Between> along(uint32_t cells, uint32_t pixels) {
    std::vector<Between> all(pixels);
    const float scale = static_cast<float>(cells) / static_cast<float>(pixels);
    for (uint32_t i = 0; i < pixels; ++i) {
        const float at = std::max((static_cast<float>(i) + 0.5f) * scale - 0.5f, 0.0f);
        all[i].low = std::min(static_cast<uint32_t>(at), cells - 1);
        all[i].high = std::min(all[i].low + 1, cells - 1);
        all[i].t = at - static_cast<float>(all[i].low);
    }
    return all;
}

}  // namespace

std::vector<uint32_t> mask_runs(std::span<const float> logits, Size map, Size frame) {
    std::vector<float> inside(logits.size());
    for (size_t i = 0; i < logits.size(); ++i) inside[i] = 1.0f / (1.0f + std::exp(-logits[i]));
    const std::vector<Between> across = along(map.x, frame.x), down = along(map.y, frame.y);
    std::vector<uint32_t> runs(1);
    bool current = false;
    std::vector<float> column(map.y);
    for (uint32_t x = 0; x < frame.x; ++x) {
        const Between& b = across[x];
        for (uint32_t y = 0; y < map.y; ++y) {
            const float* row = &inside[size_t(y) * map.x];
            column[y] = row[b.low] + (row[b.high] - row[b.low]) * b.t;
        }
        for (const Between& d : down) {
            const float value = column[d.low] + (column[d.high] - column[d.low]) * d.t;
            if ((value > 0.5f) != current) {
                current = !current;
                runs.push_back(0);
            }
            ++runs.back();
        }
    }
    return runs;
}

}  // namespace saccade
