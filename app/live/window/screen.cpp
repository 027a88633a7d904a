#include "app/live/window/screen.h"

#include <chrono>
#include <glm/common.hpp>
#include <utility>

#include "app/draw/heat_map.h"

namespace saccade {

Screen::Screen(Device& device, Window& window, PresentMode mode, const std::string& layout)
    : device_(device),
      window_(window),
      swapchain_(device, window.surface(device.instance().handle()), mode),
      ui_(device, window, layout),
      scratch_(device, "screen scratch"),
      canvas_(device.is_cpu() ? std::make_unique<HostCanvas>(ui_.atlas()) : nullptr),
      turns_{Turn(device, scratch_, ui_.atlas()), Turn(device, scratch_, ui_.atlas())} {}

Screen::~Screen() {
    // Each wait by itself: if the device is lost, the loss was reported before, and the rest must
    // still be freed.
    auto quietly = [](auto&& wait) {
        try {
            wait();
        } catch (const std::exception&) {
        }
    };
    for (const Turn& turn : turns_) quietly([&] { device_.wait(turn.ticket, "screen"); });
    quietly([&] { device_.wait(presented_, "present"); });
    // A picture that was not shown because the window has gone has no ticket here.
    device_.come_to_rest();
}

void Screen::finish() {
    for (const Turn& turn : turns_) device_.wait(turn.ticket, "screen");
    device_.wait(presented_, "present");
}

bool Screen::begin(std::span<const WindowEvent> events) {
    swapchain_.resize(window_.size());
    const auto size = swapchain_.size();
    if (!size) return false;
    size_ = *size;
    if (!image_ || image_.width() != size_.x || image_.height() != size_.y) {
        finish();
        image_ = Image(device_, "screen", size_.x, size_.y);
        readback_.reset();
    }
    ui_.begin(events);
    return true;
}

Screen::Part Screen::view() const {
    if (!view_) return {{}, size_};
    const glm::vec2 corner = glm::clamp(view_->min, glm::vec2(0), glm::vec2(size_));
    const glm::vec2 end = glm::clamp(view_->max, corner, glm::vec2(size_));
    return {Size(corner), Size(end) - Size(corner)};
}

Placement Screen::placement(Size picture) const {
    const Part room = view();
    Placement place = fitted(picture, room.size);
    place.left += static_cast<int>(room.corner.x);
    place.top += static_cast<int>(room.corner.y);
    return place;
}

void Screen::give(const PictureRing::Shown& picture) {
    picture_ = picture.image;
    if (canvas_) return canvas_->give(picture.host);
    if (!picture.host) return;
    // The other turn may still be showing its own.
    Turn& turn = turns_[turn_];
    device_.wait(turn.ticket, "screen");
    put(turn, *picture.host);
    picture_ = &turn.frame->image();
}

void Screen::put(Turn& turn, const PictureView& picture) {
    if (!turn.frame || turn.frame->width() != picture.width ||
        turn.frame->height() != picture.height) {
        finish();  // the other turn may be showing this one's
        turn.frame = std::make_unique<Frame>(device_, picture.width, picture.height, picture.bgr);
    }
    turn.frame->write(picture);
    turn.fresh = true;
}

std::optional<Ticket> Screen::show() { return canvas_ && !picture_ ? show_canvas() : show_image(); }

Screen::Turn& Screen::next_turn() {
    Turn& turn = turns_[turn_];
    turn_ = (turn_ + 1) % turns_.size();
    device_.wait(turn.ticket, "screen");
    if (const auto times = turn.commands.times(); !times.empty()) ms_ = times.front().ms;
    return turn;
}

std::optional<Ticket> Screen::show_image() {
    Turn& turn = next_turn();
    turn.triangles.begin(size_);
    ui_.end([&](const Ui::Corner& a, const Ui::Corner& b, const Ui::Corner& c,
                const TriangleList::Clip& clip) { turn.triangles.add(a, b, c, clip); });
    const Triangles panels = turn.triangles.finish();

    // Recorded each time: picture, panels and window change, and these are two dispatches.
    Commands& c = turn.commands;
    c.begin();
    {
        auto scope = c.scope("screen");
        if (std::exchange(turn.fresh, false)) turn.frame->record(c);
        const Placement place =
            picture_ ? placement({picture_->width(), picture_->height()}) : Placement();
        if (place.width > 0 && place.height > 0)
            letterbox(c, image_, *picture_, place);
        else
            letterbox(c, image_, image_, {int(size_.x), 0, 1, 1});  // beside it: all black
        triangles(c, image_, panels);
        if (read_ && !readback_)
            readback_ = std::make_unique<Readback>(device_, size_.x, size_.y, true);
        if (read_) readback_->record(c, image_);
    }
    c.end();
    turn.ticket = c.submit();
    if (std::exchange(read_, false)) reading_ = turn.ticket;
    return present(image_);
}

std::optional<Ticket> Screen::show_canvas() {
    const auto start = std::chrono::steady_clock::now();
    Turn& turn = next_turn();
    canvas_->begin(size_, placement(canvas_->given()));
    ui_.end([&](const Ui::Corner& a, const Ui::Corner& b, const Ui::Corner& c,
                const TriangleList::Clip& clip) { canvas_->add(a, b, c, clip); });
    const cv::Mat& drawn = canvas_->finish();
    put(turn, {drawn.data, size_.x, size_.y, static_cast<uint32_t>(drawn.step), true});
    Commands& c = turn.commands;
    c.begin();
    turn.frame->record(c);
    c.end();
    turn.ticket = c.submit();
    if (std::exchange(read_, false)) reading_ = turn.ticket;
    ms_ =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    return present(turn.frame->image());
}

std::optional<Ticket> Screen::present(const Image& image) {
    const std::optional<Ticket> shown = swapchain_.present(image);
    if (shown) presented_ = *shown;
    return shown;
}

std::optional<PictureView> Screen::read() {
    if (!reading_) return {};
    device_.wait(*std::exchange(reading_, std::nullopt), "a picture of the view");
    PictureView all = canvas_ && !picture_ ? view_of(canvas_->finish()) : readback_->picture();
    const auto [corner, size] = view();
    all.pixels += size_t(corner.y) * all.row_bytes + size_t(corner.x) * 3;
    all.width = size.x;
    all.height = size.y;
    return all;
}

}  // namespace saccade
