#include "models/detection/mask_runs.h"

#include <algorithm>
#include <cmath>

namespace saccade {

namespace {

// The two cells that a pixel is interpolated from, and the weight of the second.
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

// The pixels that cells `first` to `last` contribute to.
struct Reached {
    size_t begin = 0, end = 0;
};
Reached reached_by(const std::vector<Between>& pixels, uint32_t first, uint32_t last) {
    const auto begin = std::ranges::partition_point(
        pixels, [&](const Between& pixel) { return pixel.high < first; });
    const auto end = std::partition_point(begin, pixels.end(),
                                          [&](const Between& pixel) { return pixel.low <= last; });
    return {size_t(begin - pixels.begin()), size_t(end - pixels.begin())};
}

// Adds pixels to the last run, or starts the next one.
void add(std::vector<uint32_t>& runs, bool inside, size_t pixels) {
    if (pixels == 0) return;
    if (inside != (runs.size() % 2 == 0)) runs.push_back(0);
    runs.back() += static_cast<uint32_t>(pixels);
}

std::vector<float> sigmoids(std::span<const float> logits, float scale = 1) {
    std::vector<float> all(logits.size());
    for (size_t i = 0; i < logits.size(); ++i) all[i] = scale / (1.0f + std::exp(-logits[i]));
    return all;
}

float between(const float* cells, const Between& at) {
    return cells[at.low] + (cells[at.high] - cells[at.low]) * at.t;
}

// The mask that wins each pixel, column by column; the pixels that each mask wins, and its own
// area.
struct SharedOut {
    std::vector<uint8_t> owner;
    std::vector<uint32_t> got, own;
};
SharedOut share_out(std::span<const PanopticMask> masks, Size map, Size frame, float inside) {
    SharedOut result{std::vector<uint8_t>(area(frame)), std::vector<uint32_t>(masks.size()),
                     std::vector<uint32_t>(masks.size())};
    std::vector<std::vector<float>> values;
    for (const PanopticMask& mask : masks) values.push_back(sigmoids(mask.logits, mask.score));
    const std::vector<Between> across = along(map.x, frame.x), down = along(map.y, frame.y);
    std::vector<float> column(map.y), best(frame.y);
    for (uint32_t x = 0; x < frame.x; ++x) {
        uint8_t* const owner = &result.owner[size_t(x) * frame.y];
        for (size_t i = 0; i < masks.size(); ++i) {
            const float score = masks[i].score, least = score > inside ? inside : score / 2;
            for (uint32_t y = 0; y < map.y; ++y)
                column[y] = between(&values[i][size_t(y) * map.x], across[x]);
            for (uint32_t y = 0; y < frame.y; ++y) {
                const float value = between(column.data(), down[y]);
                result.own[i] += value >= least;
                if (i > 0 && value <= best[y]) continue;
                best[y] = value;
                owner[y] = static_cast<uint8_t>(i);
            }
        }
        for (uint32_t y = 0; y < frame.y; ++y) ++result.got[owner[y]];
    }
    return result;
}

}  // namespace

std::vector<std::vector<uint32_t>> panoptic_runs(std::span<const PanopticMask> masks,
                                                 uint32_t objects, Size map, Size frame,
                                                 const PanopticRules& rules) {
    std::vector<std::vector<uint32_t>> runs(objects);
    if (masks.empty()) return runs;
    const SharedOut shared = share_out(masks, map, frame, rules.inside);
    std::vector<uint32_t> object_of(masks.size(), objects);  // `objects`: none
    for (size_t i = 0; i < masks.size(); ++i)
        if (shared.own[i] > 0 &&
            static_cast<float>(shared.got[i]) > rules.kept * static_cast<float>(shared.own[i])) {
            object_of[i] = masks[i].object;
            runs[masks[i].object].resize(1);
        }
    // A run of one object is outside of all others, whose runs catch up when they next own a pixel.
    std::vector<size_t> written(objects);  // pixels that each object's runs cover so far
    const size_t pixels = shared.owner.size();
    for (size_t at = 0; at < pixels;) {
        const uint32_t object = object_of[shared.owner[at]];
        size_t end = at + 1;
        while (end < pixels && object_of[shared.owner[end]] == object) ++end;
        if (object < objects) {
            add(runs[object], false, at - written[object]);
            add(runs[object], true, end - at);
            written[object] = end;
        }
        at = end;
    }
    for (uint32_t i = 0; i < objects; ++i)
        if (!runs[i].empty()) add(runs[i], false, pixels - written[i]);
    return runs;
}

std::vector<uint32_t> mask_runs(std::span<const float> logits, Size map, Size frame) {
    const std::vector<float> inside = sigmoids(logits);
    const std::vector<Between> across = along(map.x, frame.x), down = along(map.y, frame.y);
    // Below this, rounding in the interpolation cannot put a pixel inside.
    constexpr float surely_outside = 0.499f;
    std::vector<uint32_t> runs(1);
    std::vector<float> column(map.y);
    for (uint32_t x = 0; x < frame.x; ++x) {
        const Between& b = across[x];
        uint32_t first = map.y, last = 0;
        for (uint32_t y = 0; y < map.y; ++y) {
            column[y] = between(&inside[size_t(y) * map.x], b);
            if (column[y] < surely_outside) continue;
            first = std::min(first, y);
            last = y;
        }
        // Most pixels are far from the object: whole columns, and most of the other columns.
        const Reached near =
            first < map.y ? reached_by(down, first, last) : Reached{down.size(), down.size()};
        add(runs, false, near.begin);
        for (size_t y = near.begin; y < near.end; ++y) {
            add(runs, between(column.data(), down[y]) > 0.5f, 1);
        }
        add(runs, false, down.size() - near.end);
    }
    return runs;
}

}  // namespace saccade
