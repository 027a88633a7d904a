#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "app/live/window/host_canvas.h"
#include "app/live/window/ui.h"
#include "app/live/window/window.h"
#include "gpu/present/swapchain.h"
#include "gpu/recorder/commands.h"
#include "gpu/transfer/frame.h"
#include "gpu/transfer/readback.h"

namespace saccade {

// What is seen in a window: a picture in its place, and panels, put together at the window's size
// and then shown. It may be on a device of its own, so that nobody who types or points waits for
// models; pictures come over the host's memory then.
class Screen {
public:
    Screen(Device& device, Window& window, PresentMode mode, const std::string& layout);
    ~Screen();

    Ui& ui() { return ui_; }
    Swapchain& swapchain() { return swapchain_; }

    // Where a picture of this size lies, in pixels of the window: as large as fits into the view.
    Placement placement(Size picture) const;
    Size size() const { return size_; }
    // The part of the window that pictures may take; all of it until something else is said. It is
    // cut to the window.
    void set_view(const Rectangle& pixels) { view_ = pixels; }

    // False where there is nothing to show on: the window is minimised. Otherwise ImGui's functions
    // may be called until show(), which must follow.
    bool begin(std::span<const WindowEvent> events = {});
    // With a picture, or black. The picture must not be written to until the ticket is reached;
    // later submissions to the device wait by themselves. Nothing where the window has just changed
    // its size and the next frame will be shown instead.
    std::optional<Ticket> show(const Image* picture);
    // With the picture that was given last.
    std::optional<Ticket> show();
    // A picture of the host's memory, which is copied. Nothing: black.
    void give(const std::optional<PictureView>& picture);

    // What show() will have put together is read back, for a screenshot or a recording of the view.
    void read_next() { read_ = true; }
    // The view, without panels, as it was read back by the show() before; once.
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
        std::unique_ptr<Frame> frame;  // of the host's memory
        bool fresh = false;            // and not on the device yet
    };

    Turn& next_turn();
    void put(Turn& turn, const PictureView& picture);
    std::optional<Ticket> show_canvas();
    std::optional<Ticket> present(const Image& image);
    struct Part {
        Size corner, size;
    };
    Part view() const;
    void finish();  // waits until nothing of ours is in use

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
    std::optional<size_t> given_;  // the turn whose frame is shown
    bool read_ = false;
    std::unique_ptr<Readback> readback_;
    std::optional<Ticket> reading_;
    Ticket presented_;
    double ms_ = 0;
};

}  // namespace saccade
