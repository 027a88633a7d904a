#pragma once

#include <memory>
#include <stop_token>

#include "app/frame/source.h"
#include "app/sources/screen/desktop.h"
#include "app/sources/screen/screen_clock.h"

namespace saccade {

// Whether this is a Wayland session, whose programs do not see each other's pictures.
bool is_wayland();

// What a Wayland desktop shows, or the window that the person chooses when the desktop asks:
// through its portal (xdg-desktop-portal, ScreenCast), as a stream of PipeWire's. "screen:" and
// "screen:800x600+100+50" mean what they mean of an X11 display.
class PortalScreen : public Source {
public:
    // Waits until the person has chosen, or a stop is asked for.
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
