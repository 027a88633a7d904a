#include "app/live/live_window.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "app/io/interrupts.h"
#include "app/live/panels.h"

namespace saccade {

LiveWindow::LiveWindow(LiveWindowOptions options)
    : options_(std::move(options)),
      state_(options_.state),
      window_({"Saccade", options_.settings.width, options_.settings.height, state_.full_screen}),
      engine_(engine_options()),
      screen_(engine_.device(), window_, state_.present_mode, options_.settings.layout),
      loop_(engine_, options_.capture, std::filesystem::current_path(), options_.words) {}

LiveWindow::~LiveWindow() {
    try {
        options_.settings.state = state_;
        options_.settings.layout = screen_.ui().layout();
        write_settings(options_.settings_path, options_.settings);
    } catch (const std::exception& error) {
        spdlog::warn("{}", error.what());
    }
}

void LiveWindow::run() {
    spdlog::info("running on {}", engine_.device().info().name);
    while (!state_.quit && !Interrupts::came() && !window_.closing() &&
           (options_.frames == 0 || loop_.report().frames < options_.frames)) {
        const bool new_picture = loop_.step(state_);
        const bool touched = take_events(window_.events());
        if (new_picture || touched || Clock::now() - last_shown_ > refresh())
            show(new_picture);
        else
            loop_.rest();
    }
}

LiveWindow::Clock::duration LiveWindow::refresh() const {
    using Milliseconds = std::chrono::duration<double, std::milli>;
    return std::chrono::duration_cast<Clock::duration>(
        std::max(Milliseconds(33), Milliseconds(4 * screen_.ms())));
}

EngineOptions LiveWindow::engine_options() const {
    EngineOptions engine = options_.engine;
    engine.instance_extensions = window_.instance_extensions();
    engine.device_extensions = {Swapchain::extension};
    return engine;
}

bool LiveWindow::take_events(const std::vector<WindowEvent>& events) {
    const PanelFocus panels{screen_.ui().has_mouse(), screen_.ui().has_keyboard()};
    for (const WindowEvent& event : events) apply_event(state_, event, scene(), panels);
    window_.set_full_screen(state_.full_screen);
    screen_.swapchain().set_mode(state_.present_mode);
    if (!window_.full_screen() && area(window_.size()) > 0) {
        const Size size = window_.size_to_open();
        options_.settings.width = size.x;
        options_.settings.height = size.y;
    }
    return !events.empty();
}

LiveScene LiveWindow::scene() const {
    LiveScene scene;
    const std::optional<Done>& shown = loop_.shown();
    if (!shown) return scene;
    scene.picture = {shown->image->width(), shown->image->height()};
    scene.place = screen_.placement(scene.picture);
    scene.detections = shown->result.detections.value_or(std::vector<Detection>());
    scene.tiles = shown->tiles;
    scene.words = shown->words;
    return scene;
}

void LiveWindow::show(bool new_picture) {
    last_shown_ = Clock::now();
    if (!screen_.begin()) {
        // Minimised: frames go on, so that nothing is old when it comes back.
        loop_.rest();
        return;
    }
    LiveReport report = loop_.report();
    report.present_modes = screen_.swapchain().modes();
    draw_panels(state_, report);
    if (screen_.show(loop_.picture()) && new_picture) {
        loop_.was_shown();
        loop_.note_time("screen", screen_.ms());
    }
}

}  // namespace saccade
