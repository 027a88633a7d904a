#include "app/live/window/screen.h"

namespace saccade {

Screen::Screen(Device& device, Window& window, PresentMode mode, const std::string& layout)
    : device_(device),
      window_(window),
      swapchain_(device, window.surface(device.instance().handle()), mode),
      ui_(device, window, layout),
      scratch_(device, "screen scratch"),
      turns_{Turn(device, scratch_, ui_.atlas()), Turn(device, scratch_, ui_.atlas())} {}

Screen::~Screen() {
    try {
        finish();
    } catch (const std::exception&) {
        // The device is lost, which has been told.
    }
}

void Screen::finish() {
    for (const Turn& turn : turns_) device_.wait(turn.ticket, "screen");
    device_.wait(presented_, "present");
}

bool Screen::begin() {
    swapchain_.resize(window_.size());
    const auto size = swapchain_.size();
    if (!size) return false;
    size_ = *size;
    if (!image_ || image_.width() != size_.x || image_.height() != size_.y) {
        finish();
        image_ = Image(device_, "screen", size_.x, size_.y);
    }
    ui_.begin();
    return true;
}

std::optional<Ticket> Screen::show(const Image* picture) {
    Turn& turn = turns_[turn_];
    turn_ = (turn_ + 1) % turns_.size();
    device_.wait(turn.ticket, "screen");
    if (const auto times = turn.commands.times(); !times.empty()) ms_ = times.front().ms;

    // Recorded anew each time: picture, panels and window change, and these are two dispatches.
    Commands& c = turn.commands;
    const Triangles panels = ui_.end(turn.triangles, size_);
    c.begin();
    {
        auto scope = c.scope("screen");
        if (picture)
            letterbox(c, image_, *picture, placement({picture->width(), picture->height()}));
        else
            letterbox(c, image_, image_, {int(size_.x), 0, 1, 1});  // beside it: all black
        triangles(c, image_, panels);
    }
    c.end();
    turn.ticket = c.submit();
    const std::optional<Ticket> shown = swapchain_.present(image_);
    if (shown) presented_ = *shown;
    return shown;
}

}  // namespace saccade
