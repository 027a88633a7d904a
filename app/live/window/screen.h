#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "app/live/window/host_canvas.h"
#include "app/live/window/ui.h"
#include "app/live/window/window.h"
#include "gpu/present/picture_ring.h"
#include "gpu/present/swapchain.h"
#include "gpu/recorder/commands.h"
#include "gpu/transfer/frame.h"
#include "gpu/transfer/readback.h"

namespace saccade {

// The contents of a window: a picture in its place, and panels, put together at the window's size
// and then shown. The screen may be on a device of its own, so that typing and pointing do not wait
// for models; a PictureRing brings the pictures there.
class Screen {
public:
    Screen(Device& device, Window& window, PresentMode mode, const std::string& layout);
    ~Screen();

    Ui& ui() { return ui_; }
    Swapchain& swapchain() { return swapchain_; }

    // Where a picture of this size lies, in pixels of the window: as large as fits into the view.
    Placement placement(Size picture) const;
    Size size() const { return size_; }
    // The part of the window that pictures may take, as far as it lies in the window: all of it at
    // first.
    void set_view(const Rectangle& pixels) { view_ = pixels; }
    Size room() const { return view().size; }

    // The picture to show from now on: an image, which show() reads, or pixels in the host's
    // memory, which are copied here. Without either, the window is black.
    void give(const PictureRing::Shown& picture);

    // False if there is nothing to show on: the window is minimised. Otherwise ImGui's functions
    // may be called until show(), which must follow.
    bool begin(std::span<const WindowEvent> events = {});
    // Shows the picture and the panels. Returns nothing if the window has just changed its size;
    // the next frame will be shown instead.
    std::optional<Ticket> show();

    // Reads back what the next show() puts together, for a screenshot or a recording of the view.
    void read_next() { read_ = true; }
    // The view, without panels, as the last show() read it back; once.
    std::optional<PictureView> read();

    // GPU milliseconds of putting the last one together.
    double ms() const { return ms_; }

private:
    struct Turn {
        Turn(Device& device, Arena& scratch, const Atlas& atlas)
            : commands(device, scratch, "screen"), triangles(device, atlas) {}
        Commands commands;
        TriangleList triangles;
        Ticket ticket;
        std::unique_ptr<Frame> frame;  // for pixels of the host's memory
        bool fresh = false;            // they are not on the device yet
    };

    Turn& next_turn();
    void put(Turn& turn, const PictureView& picture);
    std::optional<Ticket> show_image();
    std::optional<Ticket> show_canvas();
    std::optional<Ticket> present(const Image& image);
    struct Part {
        Size corner, size;
    };
    Part view() const;
    void finish();  // waits until the device uses nothing of this

    Device& device_;
    Window& window_;
    Swapchain swapchain_;
    Ui ui_;
    Arena scratch_;
    std::unique_ptr<HostCanvas> canvas_;  // on a device that is this machine's own cores
    std::array<Turn, 2> turns_;
    size_t turn_ = 0;
    Size size_;
    std::optional<Rectangle> view_;
    Image image_;
    const Image* picture_ = nullptr;  // that is shown
    bool read_ = false;
    std::unique_ptr<Readback> readback_;
    std::optional<Ticket> reading_;
    Ticket presented_;
    double ms_ = 0;
};

}  // namespace saccade
