#include "app/live/live_window.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "app/io/interrupts.h"
#include "app/live/panels.h"
#include "gpu/core/check.h"

namespace saccade {

LiveWindow::OnDevice::OnDevice(std::unique_ptr<Engine> opened, const LiveWindowOptions& options,
                               const LiveState& state, Window& window, const LivePlace& place)
    : engine(std::move(opened)),
      screen(engine->device(), window, state.present_mode, options.settings.layout),
      loop(*engine, options.capture, std::filesystem::current_path(), place) {
    spdlog::info("running on {}", engine->device().info().name);
}

LiveWindow::LiveWindow(LiveWindowOptions options)
    : options_(std::move(options)),
      state_(options_.state),
      window_({"Saccade", options_.settings.width, options_.settings.height, state_.full_screen}),
      on_(std::make_unique<OnDevice>(std::make_unique<Engine>(engine_options()), options_, state_,
                                     window_, LivePlace())) {}

LiveWindow::~LiveWindow() {
    try {
        options_.settings.state = state_;
        if (on_) options_.settings.layout = on_->screen.ui().layout();
        write_settings(options_.settings_path, options_.settings);
    } catch (const std::exception& error) {
        spdlog::warn("{}", error.what());
    }
}

void LiveWindow::run() {
    while (!over()) try {
            step();
        } catch (const DeviceLost& lost) {
            replace_device(lost);
        }
}

bool LiveWindow::over() const {
    return state_.quit || Interrupts::came() || window_.closing() ||
           (options_.frames > 0 && (report().frames >= options_.frames || on_->loop.over()));
}

void LiveWindow::step() {
    const bool new_picture = on_->loop.step(state_);
    const bool touched = take_events(window_.events());
    if (new_picture || touched || Clock::now() - last_shown_ > refresh())
        show(new_picture);
    else
        on_->loop.rest();
}

void LiveWindow::replace_device(const DeviceLost& lost) {
    losses_.tell(lost);
    const LivePlace place = on_->loop.place();
    options_.settings.layout = on_->screen.ui().layout();
    on_.reset();
    on_ = std::make_unique<OnDevice>(open_again(engine_options()), options_, state_, window_, place);
}

LiveWindow::Clock::duration LiveWindow::refresh() const {
    using Milliseconds = std::chrono::duration<double, std::milli>;
    return std::chrono::duration_cast<Clock::duration>(
        std::max(Milliseconds(33), Milliseconds(4 * on_->screen.ms())));
}

EngineOptions LiveWindow::engine_options() const {
    EngineOptions engine = options_.engine;
    engine.instance_extensions = window_.instance_extensions();
    engine.device_extensions = {Swapchain::extension};
    return engine;
}

bool LiveWindow::take_events(const std::vector<WindowEvent>& events) {
    const PanelFocus panels{on_->screen.ui().has_mouse(), on_->screen.ui().has_keyboard()};
    for (const WindowEvent& event : events) apply_event(state_, event, scene(), panels);
    window_.set_full_screen(state_.full_screen);
    on_->screen.swapchain().set_mode(state_.present_mode);
    if (!window_.full_screen() && area(window_.size()) > 0) {
        const Size size = window_.size_to_open();
        options_.settings.width = size.x;
        options_.settings.height = size.y;
    }
    return !events.empty();
}

LiveScene LiveWindow::scene() const {
    LiveScene scene;
    const std::optional<Done>& shown = on_->loop.shown();
    if (!shown) return scene;
    scene.picture = {shown->image->width(), shown->image->height()};
    scene.place = on_->screen.placement(scene.picture);
    scene.detections = shown->result.detections.value_or(std::vector<Detection>());
    scene.tiles = shown->tiles;
    scene.words = shown->words;
    return scene;
}

void LiveWindow::show(bool new_picture) {
    last_shown_ = Clock::now();
    if (!on_->screen.begin()) {
        // Minimised: frames go on, so that nothing is old when it comes back.
        on_->loop.rest();
        return;
    }
    LiveReport report = on_->loop.report();
    report.present_modes = on_->screen.swapchain().modes();
    draw_panels(state_, report);
    if (on_->screen.show(on_->loop.picture()) && new_picture) {
        on_->loop.was_shown();
        on_->loop.note_time("screen", on_->screen.ms());
    }
}

}  // namespace saccade
