#pragma once

#include <opencv2/core.hpp>
#include <vector>

#include "app/frame/frame_ring.h"
#include "app/frame/slots.h"
#include "app/frame/source.h"

// Frames of sources in plain memory.

namespace saccade {

// A frame of a source and its own bytes: a picture of three channels, or planes of YUV in one row.
struct Shot {
    FrameInfo info;
    PixelLayout layout;
    cv::Mat pixels;
};

inline Slot slot_of(cv::Mat& pixels, const PixelLayout& layout) {
    if (layout.yuv)
        pixels = cv::Mat::zeros(1, static_cast<int>(layout.bytes()), CV_8UC1);
    else
        pixels.create(static_cast<int>(layout.height), static_cast<int>(layout.width), CV_8UC3);
    return {reinterpret_cast<std::byte*>(pixels.data), layout};
}

inline std::optional<Shot> next_shot(Source& source) {
    Shot shot;
    std::optional<FrameInfo> info = source.next([&](const PixelLayout& layout) {
        shot.layout = layout;
        return slot_of(shot.pixels, layout);
    });
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

// A ring whose slots lie in plain memory.
struct PlainRing {
    explicit PlainRing(size_t count = 3) : slots(count) {}
    std::vector<cv::Mat> slots;
    FrameRing ring{slots.size(), [this](size_t slot, const PixelLayout& layout) {
                       return slot_of(slots[slot], layout);
                   }};
};

}  // namespace saccade
