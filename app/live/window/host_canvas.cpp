#include "app/live/window/host_canvas.h"

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>
#include <utility>

namespace saccade {

namespace {

// The pixels whose middles lie in [from, to).
struct Stretch {
    int first, end;
};
Stretch pixels_between(float from, float to, float least, float most, int side) {
    const float begin = std::max(from, least), end = std::min(to, most);
    return {std::max(static_cast<int>(std::ceil(begin - 0.5f)), 0),
            std::min(static_cast<int>(std::ceil(end - 0.5f)), side)};
}

// alpha of 0 .. 256
void blend(uint8_t* bgr, const uint32_t colour[3], uint32_t alpha) {
    for (int i = 0; i < 3; ++i)
        bgr[i] = static_cast<uint8_t>((bgr[i] * (256 - alpha) + colour[i] * alpha) >> 8);
}

uint32_t channel(uint32_t colour, int shift) { return colour >> shift & 255; }

}  // namespace

void HostCanvas::give(const std::optional<PictureView>& picture) {
    if (picture)
        cv::Mat(static_cast<int>(picture->height), static_cast<int>(picture->width), CV_8UC3,
                const_cast<uint8_t*>(picture->pixels), picture->row_bytes)
            .copyTo(given_);
    else
        given_.release();
    placed_.reset();
}

void HostCanvas::begin(Size screen, const Placement& place) {
    const cv::Size size(static_cast<int>(screen.x), static_cast<int>(screen.y));
    if (below_.size() != size || placed_ != place) {
        below_.create(size, CV_8UC3);
        below_.setTo(cv::Scalar::all(0));
        const cv::Rect room(place.left, place.top, static_cast<int>(place.width),
                            static_cast<int>(place.height));
        if (!given_.empty() && !room.empty()) {
            const bool smaller = room.width < given_.cols;
            cv::Mat target = below_(room);
            cv::resize(given_, target, room.size(), 0, 0,
                       smaller ? cv::INTER_AREA : cv::INTER_LINEAR);
        }
        placed_ = place;
    }
    below_.copyTo(screen_);
    waiting_.reset();
}

void HostCanvas::add(const Corner& a, const Corner& b, const Corner& c, const Clip& clip) {
    const Triangle triangle{a, b, c, clip};
    if (!waiting_) {
        waiting_ = triangle;
        return;
    }
    if (makes_rectangle(*waiting_, triangle)) {
        draw_rectangle(waiting_->a, waiting_->c, clip);
        waiting_.reset();
        return;
    }
    draw_triangle(*std::exchange(waiting_, triangle));
}

const cv::Mat& HostCanvas::finish() {
    if (waiting_) draw_triangle(*waiting_);
    waiting_.reset();
    return screen_;
}

bool HostCanvas::makes_rectangle(const Triangle& first, const Triangle& second) const {
    const Corner &a = first.a, &b = first.b, &c = first.c, &d = second.c;
    auto same_place = [](const Corner& x, const Corner& y) { return x.x == y.x && x.y == y.y; };
    return same_place(a, second.a) && same_place(c, second.b) && a.y == b.y && b.x == c.x &&
           c.y == d.y && d.x == a.x && a.x <= c.x && a.y <= c.y && a.colour == b.colour &&
           a.colour == c.colour && a.colour == d.colour && b.u == c.u && b.v == a.v;
}

float HostCanvas::coverage(float u, float v) const {
    const Size size = atlas_.size();
    const float x = std::clamp(u * float(size.x) - 0.5f, 0.0f, float(size.x - 1));
    const float y = std::clamp(v * float(size.y) - 0.5f, 0.0f, float(size.y - 1));
    const auto left = static_cast<uint32_t>(x), top = static_cast<uint32_t>(y);
    const uint32_t right = std::min(left + 1, size.x - 1), bottom = std::min(top + 1, size.y - 1);
    const float across = x - float(left), down = y - float(top);
    const float above =
        std::lerp(float(atlas_.at(left, top)), float(atlas_.at(right, top)), across);
    const float below =
        std::lerp(float(atlas_.at(left, bottom)), float(atlas_.at(right, bottom)), across);
    return std::lerp(above, below, down) / 255;
}

void HostCanvas::draw_rectangle(const Corner& from, const Corner& to, const Clip& clip) {
    const Stretch across = pixels_between(from.x, to.x, clip.left, clip.right, screen_.cols);
    const Stretch down = pixels_between(from.y, to.y, clip.top, clip.bottom, screen_.rows);
    const uint32_t colour[3] = {channel(from.colour, 16), channel(from.colour, 8),
                                channel(from.colour, 0)};
    const float alpha = float(channel(from.colour, 24)) * 256 / 255;
    const bool plain = from.u == to.u && from.v == to.v;
    const auto all = static_cast<uint32_t>(alpha * (plain ? coverage(from.u, from.v) : 1) + 0.5f);
    if (all == 0) return;
    const float step_u = plain ? 0 : (to.u - from.u) / (to.x - from.x);
    const float step_v = plain ? 0 : (to.v - from.v) / (to.y - from.y);
    for (int y = down.first; y < down.end; ++y) {
        auto* row = screen_.ptr<uint8_t>(y);
        const float v = from.v + (float(y) + 0.5f - from.y) * step_v;
        for (int x = across.first; x < across.end; ++x) {
            uint32_t much = all;
            if (!plain) {
                const float u = from.u + (float(x) + 0.5f - from.x) * step_u;
                much = static_cast<uint32_t>(alpha * coverage(u, v) + 0.5f);
            }
            if (much > 0) blend(row + 3 * x, colour, much);
        }
    }
}

void HostCanvas::draw_triangle(const Triangle& t) {
    // Twice the area, and the parts of it opposite each corner: weights of the corners.
    auto area2 = [](const Corner& p, const Corner& q, double x, double y) {
        return (double(q.x) - p.x) * (y - p.y) - (double(q.y) - p.y) * (x - p.x);
    };
    Corner a = t.a, b = t.b, c = t.c;
    double whole = area2(a, b, c.x, c.y);
    if (whole == 0) return;
    if (whole < 0) {
        std::swap(b, c);
        whole = -whole;
    }
    // A middle that lies on an edge belongs to the triangle below it or right of it.
    auto inside = [](double weight, const Corner& p, const Corner& q) {
        return weight > 0 || (weight == 0 && (p.y > q.y || (p.y == q.y && p.x < q.x)));
    };
    const auto [left, right] = std::minmax({a.x, b.x, c.x});
    const auto [top, bottom] = std::minmax({a.y, b.y, c.y});
    const Stretch across = pixels_between(left, right, t.clip.left, t.clip.right, screen_.cols);
    const Stretch down = pixels_between(top, bottom, t.clip.top, t.clip.bottom, screen_.rows);
    for (int y = down.first; y < down.end; ++y)
        for (int x = across.first; x < across.end; ++x) {
            const double px = x + 0.5, py = y + 0.5;
            const double wa = area2(b, c, px, py), wb = area2(c, a, px, py),
                         wc = area2(a, b, px, py);
            if (!inside(wa, b, c) || !inside(wb, c, a) || !inside(wc, a, b)) continue;
            auto mix = [&](double of_a, double of_b, double of_c) {
                return (wa * of_a + wb * of_b + wc * of_c) / whole;
            };
            uint32_t colour[4];
            for (int i = 0; i < 4; ++i)
                colour[i] =
                    static_cast<uint32_t>(mix(channel(a.colour, 8 * i), channel(b.colour, 8 * i),
                                              channel(c.colour, 8 * i)) +
                                          0.5);
            std::swap(colour[0], colour[2]);
            const float much = coverage(static_cast<float>(mix(a.u, b.u, c.u)),
                                        static_cast<float>(mix(a.v, b.v, c.v)));
            blend(screen_.ptr<uint8_t>(y) + 3 * x, colour,
                  static_cast<uint32_t>(float(colour[3]) * 256 / 255 * much + 0.5f));
        }
}

}  // namespace saccade
