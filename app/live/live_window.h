#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "app/live/input.h"
#include "app/live/loop.h"
#include "app/live/report.h"
#include "app/live/settings.h"
#include "app/live/window/screen.h"

namespace saccade {

struct LiveWindowOptions {
    LiveState state;                      // to begin with
    Settings settings;                    // as they were remembered
    std::filesystem::path settings_path;  // where they are remembered at the end
    EngineOptions engine;
    CaptureOptions capture;
    ModelNames words = {};  // --find, --labels and --ask
    uint64_t frames = 0;  // ends after this many; 0: when somebody says so
};

// The loop and its window.
class LiveWindow {
public:
    explicit LiveWindow(LiveWindowOptions options);
    ~LiveWindow();  // remembers the settings

    // Until somebody ends it.
    void run();
    const LiveReport& report() const { return loop_.report(); }

private:
    using Clock = std::chrono::steady_clock;

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
    Engine engine_;
    Screen screen_;
    LiveLoop loop_;
    Clock::time_point last_shown_{};
};

}  // namespace saccade
