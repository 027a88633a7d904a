#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "app/live/input.h"
#include "app/live/live_thread.h"
#include "app/live/report.h"
#include "app/live/settings.h"
#include "app/live/view/keeper.h"
#include "app/live/view/view.h"
#include "app/live/window/input_queue.h"
#include "app/live/window/screen.h"
#include "app/pipeline/device_loss.h"
#include "app/track/region_store.h"

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
    const LiveReport& report() const { return view_.report; }

private:
    using Clock = std::chrono::steady_clock;

    bool over() const;
    void step();
    // With another one, everything goes on as it was.
    void replace_device(const DeviceLost& lost);
    // The least time between two pictures of the window: a display's, and longer on a device that
    // would do nothing else.
    Clock::duration pace() const;
    // The same while nothing happens.
    Clock::duration rest() const;
    void take_view();
    void take_events(const std::vector<WindowEvent>& events);
    void show();
    // The view's place on the screen, and the picture's within.
    ViewLayout place_view();

    LiveWindowOptions options_;
    LiveState state_;
    uint64_t opened_ = 0;  // of sources: another one, or the same anew, is wanted playing
    bool at_end_ = false;  // of a file, which the person has been shown
    uint64_t failed_recordings_ = 0;  // that the person has been told of
    Window window_;
    InputQueue queue_;
    LiveView view_;
    SourceOffers offers_;
    BackgroundPull pull_;
    Keeper keeper_;
    RegionEditor editor_;
    KeptRegions regions_;
    // All that lies on devices, and goes with them. The window has one of its own, so that it does
    // not wait for models.
    struct OnDevice {
        OnDevice(std::unique_ptr<Engine> opened, const LiveWindowOptions& options,
                 const LiveState& state, Window& window, const LivePlace& place);
        std::unique_ptr<Engine> engine;
        Engine window_engine;
        std::unique_ptr<PictureRing> pictures;  // from the one to the other
        Screen screen;
        LiveThread loop;
    };
    std::unique_ptr<OnDevice> on_;
    DeviceLosses losses_;
    Clock::time_point last_shown_{}, busy_{};    // busy: when something happened last
    std::optional<Clock::time_point> captured_;  // of a picture that has not been shown yet
    double latency_ms_ = 0;
    int frames_due_ = 0;  // of the window: what was touched is drawn until it has come to rest
    int touched_ = 1;     // frames in which the person may have changed the state
};

}  // namespace saccade
