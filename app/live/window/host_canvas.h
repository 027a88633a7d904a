#pragma once

#include <opencv2/core.hpp>
#include <optional>

#include "gpu/ops/pictures.h"
#include "gpu/transfer/frame.h"
#include "gpu/transfer/triangle_list.h"

namespace saccade {

// Puts a window's picture and panels together on the host. On software Vulkan that takes some
// milliseconds, where kernels would wait in line with those of the models for cores.
class HostCanvas {
public:
    using Corner = TriangleList::Corner;
    using Clip = TriangleList::Clip;

    explicit HostCanvas(const Atlas& atlas) : atlas_(atlas) {}

    // The picture (BGR) that lies below all else from now on, copied; or none.
    void give(const std::optional<PictureView>& picture);
    Size given() const {
        return {static_cast<uint32_t>(given_.cols), static_cast<uint32_t>(given_.rows)};
    }

    // Begins a screen with the picture in its place, and black around it.
    void begin(Size screen, const Placement& place);
    // One after the other, laid over what is there by their alpha.
    void add(const Corner& a, const Corner& b, const Corner& c, const Clip& clip);
    // All that was added is drawn: BGR, until the next begin().
    const cv::Mat& finish();

private:
    struct Triangle {
        Corner a, b, c;
        Clip clip;
    };
    // Most triangles come in pairs that make a rectangle of one colour.
    bool makes_rectangle(const Triangle& first, const Triangle& second) const;
    void draw_rectangle(const Corner& from, const Corner& to, const Clip& clip);
    void draw_triangle(const Triangle& triangle);
    float coverage(float u, float v) const;  // of the atlas

    const Atlas& atlas_;
    cv::Mat given_, below_, screen_;
    std::optional<Placement> placed_;  // how below_ was made
    std::optional<Triangle> waiting_;  // for the other half
};

}  // namespace saccade
