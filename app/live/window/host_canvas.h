#pragma once

#include <opencv2/core.hpp>
#include <optional>

#include "gpu/ops/pictures.h"
#include "gpu/transfer/frame.h"
#include "gpu/transfer/triangle_list.h"

namespace saccade {

// Puts a window's picture and panels together on the host. On software Vulkan that takes some
// milliseconds, where kernels would wait for cores behind those of the models. It fills the same
// pixels as the kernel `triangles`, which a test holds.
class HostCanvas {
public:
    using Corner = TriangleList::Corner;
    using Clip = TriangleList::Clip;

    explicit HostCanvas(const Atlas& atlas) : atlas_(atlas) {}

    // Copies a picture (BGR), which lies below all else from now on; or removes it.
    void give(const std::optional<PictureView>& picture);
    Size given() const {
        return {static_cast<uint32_t>(given_.cols), static_cast<uint32_t>(given_.rows)};
    }

    // Begins a screen with the picture in its place, and black around it.
    void begin(Size screen, const Placement& place);
    // Adds a triangle, laid over all before by its alpha.
    void add(const Corner& a, const Corner& b, const Corner& c, const Clip& clip);
    // Draws what was added. Returns the screen (BGR), until the next begin().
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
