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

// The pixels between cells from `first` to `last`: those that both may reach.
struct Reached {
    size_t begin = 0, end = 0;
};
Reached reached_by(const std::vector<Between>& pixels, uint32_t first, uint32_t last) {
    const auto begin = std::ranges::partition_point(
        pixels, [&](const Between& pixel) { return pixel.high < first; });
    const auto end = std::partition_point(
        begin, pixels.end(), [&](const Between& pixel) { return pixel.low <= last; });
    return {size_t(begin - pixels.begin()), size_t(end - pixels.begin())};
}

// Adds pixels to the last run, or begins the next.
void add(std::vector<uint32_t>& runs, bool inside, size_t pixels) {
    if (pixels == 0) return;
    if (inside != (runs.size() % 2 == 0)) runs.push_back(0);
    runs.back() += static_cast<uint32_t>(pixels);
}

}  // namespace

std::vector<uint32_t> mask_runs(std::span<const float> logits, Size map, Size frame) {
    std::vector<float> inside(logits.size());
    for (size_t i = 0; i < logits.size(); ++i) inside[i] = 1.0f / (1.0f + std::exp(-logits[i]));
    const std::vector<Between> across = along(map.x, frame.x), down = along(map.y, frame.y);
    // Below this no rounding makes a pixel between two cells one that is inside.
    constexpr float surely_outside = 0.499f;
    std::vector<uint32_t> runs(1);
    std::vector<float> column(map.y);
    for (uint32_t x = 0; x < frame.x; ++x) {
        const Between& b = across[x];
        uint32_t first = map.y, last = 0;
        for (uint32_t y = 0; y < map.y; ++y) {
            const float* row = &inside[size_t(y) * map.x];
            column[y] = row[b.low] + (row[b.high] - row[b.low]) * b.t;
            if (column[y] < surely_outside) continue;
            first = std::min(first, y);
            last = y;
        }
        // Most of a frame is far from any object: whole columns, and most of the others.
        const Reached near =
            first < map.y ? reached_by(down, first, last) : Reached{down.size(), down.size()};
        add(runs, false, near.begin);
        for (size_t y = near.begin; y < near.end; ++y) {
            const Between& d = down[y];
            const float value = column[d.low] + (column[d.high] - column[d.low]) * d.t;
            add(runs, value > 0.5f, 1);
        }
        add(runs, false, down.size() - near.end);
    }
    return runs;
}

}  // namespace saccade
