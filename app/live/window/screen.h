#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>

#include "app/live/window/ui.h"
#include "app/live/window/window.h"
#include "gpu/core/swapchain.h"
#include "gpu/recorder/commands.h"

namespace saccade {

// What is seen in a window: a picture as large as fits, and panels over it, put together on the
// device at the window's size and then shown.
class Screen {
public:
    Screen(Device& device, Window& window, PresentMode mode, const std::string& layout);
    ~Screen();

    Ui& ui() { return ui_; }
    Swapchain& swapchain() { return swapchain_; }

    // Where a picture of this size lies, in pixels of the window.
    Placement placement(Size picture) const { return fitted(picture, size_); }
    Size size() const { return size_; }

    // False where there is nothing to show on: the window is minimised. Otherwise ImGui's functions
    // may be called until show(), which must follow.
    bool begin();
    // With a picture, or black. The picture must not be written to until the ticket is reached;
    // later submissions to the device wait by themselves. Nothing where the window has just changed
    // its size and the next frame will be shown instead.
    std::optional<Ticket> show(const Image* picture);

    // GPU milliseconds of putting the last one together.
    double ms() const { return ms_; }

private:
    struct Turn {
        Turn(Device& device, Arena& scratch, const Atlas& atlas)
            : commands(device, scratch, "screen"), triangles(device, atlas) {}
        Commands commands;
        TriangleList triangles;
        Ticket ticket;
    };

    void finish();  // waits until nothing of ours is in use

    Device& device_;
    Window& window_;
    Swapchain swapchain_;
    Ui ui_;
    Arena scratch_;
    std::array<Turn, 2> turns_;
    size_t turn_ = 0;
    Size size_;
    Image image_;
    Ticket presented_;
    double ms_ = 0;
};

}  // namespace saccade
