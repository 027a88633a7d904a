#pragma once

#include <memory>
#include <stop_token>

#include "app/frame/source.h"
#include "app/sources/screen/desktop.h"
#include "app/sources/screen/screen_clock.h"

namespace saccade {

// Whether this is a Wayland session, in which programs cannot capture the display directly.
bool is_wayland();

// Captures a Wayland desktop, or the window that the user chooses in the desktop's dialog: through
// xdg-desktop-portal (ScreenCast), as a PipeWire stream. "screen:" and "screen:800x600+100+50" are
// as for an X11 display.
class PortalScreen : public Source {
public:
    // Waits until the user has chosen, or a stop is requested.
    PortalScreen(const std::string& text, const SourceOptions& options, std::stop_token stop);
    ~PortalScreen() override;

    const SourceTraits& traits() const override { return clock_.traits(); }
    std::optional<FrameInfo> next(const GiveSlot& give) override;
    void seek(uint64_t index) override { clock_.seek(index); }

private:
    struct Cast;

    std::optional<Desktop::Part> part_;
    std::unique_ptr<Cast> cast_;
    ScreenClock clock_;
};

}  // namespace saccade
