#include "app/live/view/live_window.h"

#include <imgui.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "app/io/interrupts.h"
#include "gpu/core/check.h"

namespace saccade {

namespace {

using namespace std::chrono_literals;

// How often a window is drawn in which nothing happens: a cursor may be blinking, or a file on its
// way to the disk.
constexpr auto idle_pace = 500ms;
// The same when nothing has happened for a while.
constexpr auto sleeping_pace = 5s, falls_asleep = 10s;
// How many frames Dear ImGui needs to come to rest after something was touched.
constexpr int frames_to_rest = 3;

LiveState beside(LiveState state) {
    state.classes_beside = true;
    return state;
}

EngineOptions window_options(const EngineOptions& options, const Device& device, Window& window) {
    EngineOptions engine = options;
    engine.device = std::to_string(device.info().index);
    engine.instance_extensions = window.instance_extensions();
    engine.device_extensions = {Swapchain::extension};
    return engine;
}

}  // namespace

LiveWindow::OnDevice::OnDevice(std::unique_ptr<Engine> opened, const LiveWindowOptions& options,
                               const LiveState& state, Window& window, const LivePlace& place)
    : engine(std::move(opened)),
      window_engine(window_options(options.engine, engine->device(), window)),
      pictures(PictureRing::between(engine->device(), window_engine.device())),
      screen(window_engine.device(), window, state.present_mode, options.settings.layout),
      loop(*engine, options.capture, std::filesystem::current_path(), place, *pictures,
           Window::wake) {
    spdlog::info("running on {}", engine->device().info().name);
}

LiveWindow::LiveWindow(LiveWindowOptions options)
    : options_(std::move(options)),
      state_(beside(options_.state)),
      window_({"Saccade", options_.settings.width, options_.settings.height, state_.full_screen}),
      offers_(options_.settings.recent),
      keeper_(std::filesystem::current_path()),
      regions_(RegionStore(drawn_regions_folder())),
      on_(std::make_unique<OnDevice>(std::make_unique<Engine>(options_.engine), options_, state_,
                                     window_, LivePlace())) {}

LiveWindow::~LiveWindow() {
    try {
        options_.settings.state = to_remember(options_.settings.state, options_.state, state_);
        options_.settings.recent = offers_.recent();
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
           (options_.frames > 0 && (report().frames >= options_.frames || view_.over));
}

void LiveWindow::step() {
    const auto now = Clock::now();
    auto due = [this] { return frames_due_ > 0 || !queue_.empty() || state_.view_recording; };
    const auto next = last_shown_ + (due() ? pace() : rest());
    // Nobody wakes it who has pressed Ctrl-C.
    queue_.add(window_.wait_events(
        std::chrono::duration<double>(std::min<Clock::duration>(next - now, idle_pace)).count()));
    if (!queue_.empty()) frames_due_ = touched_ = frames_to_rest;
    take_view();
    if (due()) busy_ = Clock::now();
    const auto since = Clock::now() - last_shown_;
    if (since >= rest() || (due() && since >= pace())) show();
}

LiveWindow::Clock::duration LiveWindow::rest() const {
    const bool works = pull_.busy() || keeper_.busy() || on_->screen.ui().has_keyboard();
    return works || Clock::now() - busy_ < falls_asleep ? idle_pace
                                                        : Clock::duration(sleeping_pace);
}

void LiveWindow::take_view() {
    if (!on_->loop.read(view_)) return;
    if (on_->pictures->take()) {
        on_->screen.give(on_->pictures->shown());
        captured_.reset();
        if (!view_.repeated) captured_ = view_.captured;
    }
    if (area(view_.scene.picture) == 0) on_->screen.give({});
    view_.report.latency_ms = latency_ms_;
    if (area(view_.scene.picture) > 0) offers_.add_recent(report().source);
    state_.shown_frame = report().player.frame;
    if (!std::exchange(at_end_, report().player.at_end) && at_end_) {
        state_.frozen = true;  // who plays on begins anew
        touched_ = std::max(touched_, 1);
    }
    if (std::exchange(failed_recordings_, report().failed_recordings) != report().failed_recordings)
        state_.recording = false;
    state_.choices = report().choices;
    state_.second_choices = report().second_choices;
    if (std::exchange(state_.swaps, report().swaps) != report().swaps) {
        release_held(state_);
        state_.word.reset();
    }
    frames_due_ = std::max(frames_due_, 1);
}

void LiveWindow::replace_device(const DeviceLost& lost) {
    losses_.tell(lost);
    const LivePlace place = on_->loop.end();
    options_.settings.layout = on_->screen.ui().layout();
    on_.reset();
    on_ = std::make_unique<OnDevice>(open_again(options_.engine), options_, state_, window_, place);
    frames_due_ = touched_ = frames_to_rest;
}

LiveWindow::Clock::duration LiveWindow::pace() const {
    using Milliseconds = std::chrono::duration<double, std::milli>;
    return std::chrono::duration_cast<Clock::duration>(
        std::max(Milliseconds(1000.0 / 60), Milliseconds(2 * on_->screen.ms())));
}

void LiveWindow::take_events(const std::vector<WindowEvent>& events) {
    const PanelFocus panels{on_->screen.ui().has_mouse(), on_->screen.ui().has_keyboard()};
    for (const WindowEvent& event : events) {
        // What was grabbed on the picture may be let go anywhere.
        const bool panel = event.kind == WindowEvent::Kind::key
                               ? panels.keyboard
                               : panels.mouse && event.kind != WindowEvent::Kind::release;
        if (!state_.drawing || panel || !editor_.take(event, view_.scene, state_))
            apply_event(state_, event, view_.scene, panels);
    }
    window_.set_full_screen(state_.full_screen);
    on_->screen.swapchain().set_mode(state_.present_mode);
    if (!window_.full_screen() && area(window_.size()) > 0) {
        const Size size = window_.size_to_open();
        options_.settings.width = size.x;
        options_.settings.height = size.y;
    }
}

ViewLayout LiveWindow::place_view() {
    const ViewLayout layout = layout_for(state_, report());
    const ImVec2 dots = ImGui::GetIO().DisplayFramebufferScale;
    const glm::vec2 scale(dots.x, dots.y);
    on_->screen.set_view({layout.picture.min * scale, layout.picture.max * scale});
    view_.scene.place = on_->screen.placement(size_of(view_.scene));
    const bool below = better_below(view_.scene.picture, layout.picture.size());
    const Size room = on_->screen.room();
    if (state_.second.below != below || state_.room != room) touched_ = std::max(touched_, 1);
    state_.second.below = below;
    state_.room = room;
    return layout;
}

void LiveWindow::show() {
    last_shown_ = Clock::now();
    frames_due_ = std::max(frames_due_ - 1, 0);
    const std::vector<WindowEvent> events = queue_.take();
    if (!on_->screen.begin(events)) return;  // minimised: frames go on, so that nothing is old
    const bool pulling = pull_.busy();
    pull_.poll();
    if (pulling && !pull_.busy()) touched_ = 1;  // what has come is wanted
    if (const std::string& notice = keeper_.notice(); !notice.empty()) view_.report.notice = notice;
    const ViewLayout layout = place_view();
    take_events(events);
    view_.report.present_modes = on_->screen.swapchain().modes();
    const ImVec2 dots = ImGui::GetIO().DisplayFramebufferScale;
    const auto [first, second] = places_of(view_.scene, layout.picture, {dots.x, dots.y});
    ViewInput input{state_, view_, offers_, pull_, editor_, first, second};
    draw_view(input, layout);
    if (std::exchange(opened_, state_.opened) != state_.opened) state_.frozen = false;
    keeper_.say(regions_.follow(state_.source, state_.regions));
    // A loop that hears nothing new sleeps on.
    if (touched_ > 0 || ImGui::IsAnyItemActive()) on_->loop.want(state_);
    touched_ = std::max(touched_ - 1, 0);
    keeper_.follow(state_, view_);
    if (keeper_.wants_view(state_)) on_->screen.read_next();
    const bool shown = on_->screen.show().has_value();
    if (const auto seen = on_->screen.read()) keeper_.take(state_, *seen);
    if (!shown) return;
    on_->loop.was_shown(on_->screen.ms());
    if (!captured_) return;
    latency_ms_ = std::chrono::duration<double, std::milli>(Clock::now() -
                                                            *std::exchange(captured_, std::nullopt))
                      .count();
}

}  // namespace saccade
