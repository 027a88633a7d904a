#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "app/live/input.h"
#include "app/live/state/session.h"
#include "app/live/state/settings.h"
#include "app/live/state/tour.h"
#include "app/live/view/exporter.h"
#include "app/live/view/view.h"
#include "app/live/wall/live_thread.h"
#include "app/live/window/input_queue.h"
#include "app/live/window/screen.h"
#include "app/pipeline/device_loss.h"
#include "app/track/region_store.h"

namespace saccade {

struct LiveWindowOptions {
    Wishes wishes;                          // to begin with
    std::vector<NamedSource> sources;       // at least one
    Settings settings;                      // of the last run
    std::filesystem::path settings_path;    // where they are saved at the end
    std::vector<Audience*> audiences = {};  // one for each source, besides the window; or none
    EngineOptions engine;
    CaptureOptions capture;
    uint64_t frames = 0;  // ends after this many, or the last; 0: when the window is closed
    bool tour = false;    // maps play by themselves until a person does something
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
    // Of several sources side by side: choosing one, and bringing it to the front.
    void take_wall_event(const WindowEvent& event, PanelFocus panels);
    std::optional<size_t> tile_at(glm::vec2 pixel) const;
    void bring_to_front(size_t source);
    // Lines and zones of the source at the front.
    std::string follow_regions();
    // Lays out the view on the screen, and the picture within.
    ViewLayout place_view();

    LiveWindowOptions options_;
    Session session_;
    // The same, or the tour's while nobody has touched anything.
    Pointer pointer_now();

    Tour tour_;
    MapModel asked_;  // by itself: the model with the most layers, until a person chooses one
    uint64_t models_version_ = 0;
    bool quit_ = false;
    bool at_end_ = false;  // of a file, in the last status
    Window window_;
    InputQueue queue_;
    LiveView view_;
    SourceOffers offers_;
    BackgroundPull pull_;
    Exporter exporter_;
    RegionEditor editor_;
    std::vector<KeptRegions> regions_;  // of each source
    // All that lies on devices, and is lost with them. The window has a device of its own, so that
    // it does not wait for models.
    struct OnDevice {
        OnDevice(std::unique_ptr<Engine> opened, const LiveWindowOptions& options,
                 const Wishes& wishes, Window& window, const std::vector<NamedSource>& sources,
                 std::span<const LivePlace> places);
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
