#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "app/live/input.h"
#include "app/live/loop.h"
#include "app/live/report.h"
#include "app/live/settings.h"
#include "app/live/window/screen.h"
#include "app/pipeline/device_loss.h"

namespace saccade {

struct LiveWindowOptions {
    LiveState state;                      // to begin with
    Settings settings;                    // as they were remembered
    std::filesystem::path settings_path;  // where they are remembered at the end
    EngineOptions engine;
    CaptureOptions capture;
    uint64_t frames = 0;  // ends after this many, or the last; 0: when somebody says so
};

// The loop and its window.
class LiveWindow {
public:
    explicit LiveWindow(LiveWindowOptions options);
    ~LiveWindow();  // remembers the settings

    // Until somebody ends it.
    void run();
    const LiveReport& report() const { return on_->loop.report(); }

private:
    using Clock = std::chrono::steady_clock;

    bool over() const;
    void step();
    // With another one, everything goes on as it was.
    void replace_device(const DeviceLost& lost);
    // How often panels are drawn when nothing else happens: not so often that a slow device does
    // nothing else.
    Clock::duration refresh() const;
    EngineOptions engine_options() const;
    bool take_events(const std::vector<WindowEvent>& events);
    LiveScene scene() const;
    void show(bool new_picture);

    LiveWindowOptions options_;
    LiveState state_;
    Window window_;
    // All that lies on the device, and goes with it.
    struct OnDevice {
        OnDevice(std::unique_ptr<Engine> opened, const LiveWindowOptions& options,
                 const LiveState& state, Window& window, const LivePlace& place);
        std::unique_ptr<Engine> engine;
        Screen screen;
        LiveLoop loop;
    };
    std::unique_ptr<OnDevice> on_;
    DeviceLosses losses_;
    Clock::time_point last_shown_{};
};

}  // namespace saccade
