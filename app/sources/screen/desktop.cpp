#include "app/sources/screen/desktop.h"

#include <xcb/xcb.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <opencv2/imgproc.hpp>

#include "app/frame/slots.h"
#include "gpu/core/error.h"

namespace saccade {

std::optional<Desktop::Part> Desktop::part_of(const std::string& text) {
    const std::string rest = text.substr(std::strlen("screen:"));
    if (rest.empty()) return std::nullopt;
    Part part;
    int read = 0;
    const int found = std::sscanf(rest.c_str(), "%ux%u+%u+%u%n", &part.size.x, &part.size.y,
                                  &part.corner.x, &part.corner.y, &read);
    if (found != 4 || size_t(read) != rest.size() || area(part.size) == 0)
        throw Error("'" + text +
                    "' is no part of a screen: write screen:, or screen:800x600+100+50 for "
                    "WIDTHxHEIGHT+LEFT+TOP");
    return part;
}

Desktop::Part within(Desktop::Part part, Size screen) {
    part.corner = {std::min(part.corner.x, screen.x - 1), std::min(part.corner.y, screen.y - 1)};
    part.size = {std::min(part.size.x, screen.x - part.corner.x),
                 std::min(part.size.y, screen.y - part.corner.y)};
    return part;
}

struct Desktop::Connection {
    Connection() {
        int number = 0;
        x = xcb_connect(nullptr, &number);
        if (xcb_connection_has_error(x)) {
            xcb_disconnect(x);
            throw Error("screen: needs a desktop: set DISPLAY for X11, or WAYLAND_DISPLAY");
        }
        auto screens = xcb_setup_roots_iterator(xcb_get_setup(x));
        for (; number > 0 && screens.rem > 1; --number) xcb_screen_next(&screens);
        root = screens.data->root;
    }
    ~Connection() { xcb_disconnect(x); }
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    struct Free {
        void operator()(void* reply) const { std::free(reply); }
    };
    template <typename Reply>
    using Owned = std::unique_ptr<Reply, Free>;

    // The size may change during the capture.
    Size size() const {
        const Owned<xcb_get_geometry_reply_t> reply(
            xcb_get_geometry_reply(x, xcb_get_geometry(x, root), nullptr));
        if (!reply) throw Error("the screen is gone");
        return {reply->width, reply->height};
    }
    // BGRX: four bytes per pixel.
    Owned<xcb_get_image_reply_t> picture(const Part& part) const {
        Owned<xcb_get_image_reply_t> reply(xcb_get_image_reply(
            x,
            xcb_get_image(x, XCB_IMAGE_FORMAT_Z_PIXMAP, root, static_cast<int16_t>(part.corner.x),
                          static_cast<int16_t>(part.corner.y), static_cast<uint16_t>(part.size.x),
                          static_cast<uint16_t>(part.size.y), ~0u),
            nullptr));
        if (!reply || size_t(xcb_get_image_data_length(reply.get())) < 4 * area(part.size))
            throw Error("the screen cannot be read: it has another depth than 24 bits, or is gone");
        return reply;
    }

    xcb_connection_t* x = nullptr;
    xcb_window_t root = 0;
};

std::optional<FrameInfo> Desktop::next(const GiveSlot& give) {
    clock_.wait();
    const Size all = connection_->size();
    const Part part = within(part_.value_or(Part{all, {}}), all);
    const auto reply = connection_->picture(part);
    const FrameInfo info = clock_.stamp(part.size);
    const Slot slot = give(packed(part.size));
    const cv::Mat with_spare(static_cast<int>(part.size.y), static_cast<int>(part.size.x), CV_8UC4,
                             xcb_get_image_data(reply.get()));
    cv::cvtColor(with_spare, mat_of(slot), cv::COLOR_BGRA2BGR);
    return info;
}

Desktop::Desktop(const std::string& text, const SourceOptions& options)
    : part_(part_of(text)), connection_(std::make_unique<Connection>()), clock_(text, options) {}

Desktop::~Desktop() = default;

}  // namespace saccade
