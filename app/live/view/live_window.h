#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "app/live/input.h"
#include "app/live/live_thread.h"
#include "app/live/state/session.h"
#include "app/live/state/settings.h"
#include "app/live/view/exporter.h"
#include "app/live/view/view.h"
#include "app/live/window/input_queue.h"
#include "app/live/window/screen.h"
#include "app/pipeline/device_loss.h"
#include "app/track/region_store.h"

namespace saccade {

struct LiveWindowOptions {
    Wishes wishes;                        // to begin with
    Settings settings;                    // of the last run
    std::filesystem::path settings_path;  // where they are saved at the end
    EngineOptions engine;
    CaptureOptions capture;
    uint64_t frames = 0;  // ends after this many, or the last; 0: when the window is closed
};

// The live loop in a window.
class LiveWindow {
public:
    explicit LiveWindow(LiveWindowOptions options);
    ~LiveWindow();  // saves the settings

    // Returns when the person quits, or the frames are over.
    void run();
    const Status& status() const { return session_.status; }

private:
    using Clock = std::chrono::steady_clock;

    bool over() const;
    void step();
    // Goes on with another one, or the same opened again.
    void replace_device(const DeviceLost& lost);
    // The least time between two pictures of the window: a display's, and longer on a slow device,
    // which models need, too.
    Clock::duration pace() const;
    // The same while nothing happens.
    Clock::duration rest() const;
    void take_view();
    void take_events(const std::vector<WindowEvent>& events);
    void show();
    // Lays out the view on the screen, and the picture within.
    ViewLayout place_view();

    LiveWindowOptions options_;
    Session session_;
    bool quit_ = false;
    bool at_end_ = false;  // of a file, in the last status
    Window window_;
    InputQueue queue_;
    LiveView view_;
    SourceOffers offers_;
    BackgroundPull pull_;
    Exporter exporter_;
    RegionEditor editor_;
    KeptRegions regions_;
    // All that lies on devices, and is lost with them. The window has a device of its own, so that
    // it does not wait for models.
    struct OnDevice {
        OnDevice(std::unique_ptr<Engine> opened, const LiveWindowOptions& options,
                 const Wishes& wishes, Window& window, const LivePlace& place);
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
    int frames_due_ = 0;  // of the window, until Dear ImGui has come to rest after an input
};

}  // namespace saccade
