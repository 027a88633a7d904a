#pragma once

#include <opencv2/core.hpp>
#include <vector>

#include "app/sources/frame_ring.h"
#include "app/sources/source.h"

// Frames of sources in plain memory.

namespace saccade {

// A frame of a source and its own pixels.
struct Shot {
    FrameInfo info;
    cv::Mat pixels;
};

inline Slot slot_of(cv::Mat& pixels, ImageSize size) {
    pixels.create(static_cast<int>(size.height), static_cast<int>(size.width), CV_8UC3);
    return {reinterpret_cast<std::byte*>(pixels.data), size, pixels.step};
}

inline std::optional<Shot> next_shot(Source& source) {
    Shot shot;
    std::optional<FrameInfo> info =
        source.next([&](ImageSize size) { return slot_of(shot.pixels, size); });
    if (!info) return std::nullopt;
    shot.info = *info;
    return shot;
}

inline std::vector<Shot> all_shots(Source& source) {
    std::vector<Shot> shots;
    while (std::optional<Shot> shot = next_shot(source)) shots.push_back(std::move(*shot));
    return shots;
}

inline bool equal(const cv::Mat& a, const cv::Mat& b) {
    return a.size() == b.size() && a.type() == b.type() && cv::norm(a, b, cv::NORM_INF) == 0;
}

// A ring's slots.
struct SlotMemory {
    std::vector<cv::Mat> slots = std::vector<cv::Mat>(8);
    MakeSlot make() {
        return [this](size_t slot, ImageSize size) { return slot_of(slots[slot], size); };
    }
};

}  // namespace saccade
