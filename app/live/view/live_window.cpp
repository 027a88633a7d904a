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

// The time between two pictures of an idle window: a cursor may blink, or a file be on its way to
// the disk.
constexpr auto idle_pace = 500ms;
// The same after a while without input.
constexpr auto sleeping_pace = 5s, falls_asleep = 10s;
// Frames that Dear ImGui needs to come to rest after an input.
constexpr int frames_to_rest = 3;

Wishes with_classes_beside(Wishes wishes) {
    wishes.look.classes_beside = true;
    return wishes;
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
                               const Wishes& wishes, Window& window, const LivePlace& place)
    : engine(std::move(opened)),
      window_engine(window_options(options.engine, engine->device(), window)),
      pictures(PictureRing::between(engine->device(), window_engine.device())),
      screen(window_engine.device(), window, wishes.window.present_mode, options.settings.layout),
      loop(*engine, options.capture, std::filesystem::current_path(), place, *pictures,
           Window::wake) {
    spdlog::info("running on {}", engine->device().info().name);
}

LiveWindow::LiveWindow(LiveWindowOptions options)
    : options_(std::move(options)),
      session_{.wishes = with_classes_beside(options_.wishes)},
      window_({"Saccade", options_.settings.width, options_.settings.height,
               session_.wishes.window.full_screen}),
      offers_(options_.settings.recent),
      exporter_(std::filesystem::current_path()),
      regions_(RegionStore(drawn_regions_folder())),
      on_(std::make_unique<OnDevice>(std::make_unique<Engine>(options_.engine), options_,
                                     session_.wishes, window_, LivePlace())) {}

LiveWindow::~LiveWindow() {
    try {
        options_.settings.wishes =
            to_remember(options_.settings.wishes, options_.wishes, session_.wishes);
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
    return quit_ || Interrupts::came() || window_.closing() ||
           (options_.frames > 0 && (status().frames >= options_.frames || view_.over));
}

void LiveWindow::step() {
    const auto now = Clock::now();
    auto due = [this] {
        return frames_due_ > 0 || !queue_.empty() || session_.wishes.view_recording;
    };
    const auto next = last_shown_ + (due() ? pace() : rest());
    // Ctrl-C sends no event, so the loop polls for it.
    queue_.add(window_.wait_events(
        std::chrono::duration<double>(std::min<Clock::duration>(next - now, idle_pace)).count()));
    if (!queue_.empty()) frames_due_ = frames_to_rest;
    take_view();
    if (due()) busy_ = Clock::now();
    const auto since = Clock::now() - last_shown_;
    if (since >= rest() || (due() && since >= pace())) show();
}

LiveWindow::Clock::duration LiveWindow::rest() const {
    const bool works = pull_.busy() || exporter_.busy() || on_->screen.ui().has_keyboard();
    return works || Clock::now() - busy_ < falls_asleep ? idle_pace
                                                        : Clock::duration(sleeping_pace);
}

void LiveWindow::take_view() {
    if (!on_->loop.read(view_, session_.status)) return;
    if (on_->pictures->take()) {
        on_->screen.give(on_->pictures->shown());
        captured_.reset();
        if (!view_.repeated) captured_ = view_.captured;
    }
    if (area(view_.scene.picture) == 0) on_->screen.give({});
    session_.status.latency_ms = latency_ms_;
    if (area(view_.scene.picture) > 0) offers_.add_recent(status().source);
    // A file that has ended pauses, so that playing it begins again.
    if (!std::exchange(at_end_, status().player.at_end) && at_end_) session_.wishes.frozen = true;
    if (status().recording_failed) session_.wishes.recording = false;
    move_to_models(session_.pointer, status().models_version);
    frames_due_ = std::max(frames_due_, 1);
}

void LiveWindow::replace_device(const DeviceLost& lost) {
    losses_.tell(lost);
    const LivePlace place = on_->loop.end();
    options_.settings.layout = on_->screen.ui().layout();
    on_.reset();
    on_ = std::make_unique<OnDevice>(open_again(options_.engine), options_, session_.wishes,
                                     window_, place);
    frames_due_ = frames_to_rest;
}

LiveWindow::Clock::duration LiveWindow::pace() const {
    using Milliseconds = std::chrono::duration<double, std::milli>;
    return std::chrono::duration_cast<Clock::duration>(
        std::max(Milliseconds(1000.0 / 60), Milliseconds(2 * on_->screen.ms())));
}

void LiveWindow::take_events(const std::vector<WindowEvent>& events) {
    const PanelFocus panels{on_->screen.ui().has_mouse(), on_->screen.ui().has_keyboard()};
    for (const WindowEvent& event : events) {
        // A drag on the picture may end anywhere.
        const bool panel = event.kind == WindowEvent::Kind::key
                               ? panels.keyboard
                               : panels.mouse && event.kind != WindowEvent::Kind::release;
        if (!session_.wishes.window.drawing || panel || !editor_.take(event, view_.scene, session_))
            apply_event(session_, event, view_.scene, panels);
    }
    window_.set_full_screen(session_.wishes.window.full_screen);
    on_->screen.swapchain().set_mode(session_.wishes.window.present_mode);
    if (!window_.full_screen() && area(window_.size()) > 0) {
        const Size size = window_.size_to_open();
        options_.settings.width = size.x;
        options_.settings.height = size.y;
    }
}

ViewLayout LiveWindow::place_view() {
    const ViewLayout layout = layout_for(session_);
    const ImVec2 dots = ImGui::GetIO().DisplayFramebufferScale;
    const glm::vec2 scale(dots.x, dots.y);
    on_->screen.set_view({layout.picture.min * scale, layout.picture.max * scale});
    view_.scene.place = on_->screen.placement(size_of(view_.scene));
    Wishes::Look& look = session_.wishes.look;
    look.second.below = better_below(view_.scene.picture, layout.picture.size());
    look.room = on_->screen.room();
    return layout;
}

void LiveWindow::show() {
    last_shown_ = Clock::now();
    frames_due_ = std::max(frames_due_ - 1, 0);
    const std::vector<WindowEvent> events = queue_.take();
    if (!on_->screen.begin(events)) return;  // minimised: frames go on
    pull_.poll();                            // a model that has come is wished for
    if (const std::string& notice = exporter_.notice(); !notice.empty())
        session_.status.notice = notice;
    const ViewLayout layout = place_view();
    take_events(events);
    session_.status.present_modes = on_->screen.swapchain().modes();
    const ImVec2 dots = ImGui::GetIO().DisplayFramebufferScale;
    const auto [first, second] = places_of(view_.scene, layout.picture, {dots.x, dots.y});
    ViewInput input{session_, view_, offers_, pull_, editor_, first, second};
    draw_view(input, layout);
    exporter_.notify(regions_.follow(session_.wishes.source, session_.wishes.regions));
    exporter_.follow(session_, view_);
    if (!session_.events.take<Quit>().empty()) quit_ = true;
    on_->loop.want(session_.wishes, session_.pointer, session_.events);
    if (exporter_.wants_view()) on_->screen.read_next();
    const bool shown = on_->screen.show().has_value();
    if (const auto seen = on_->screen.read()) exporter_.take(*seen);
    if (!shown) return;
    on_->loop.was_shown(on_->screen.ms());
    if (!captured_) return;
    latency_ms_ = std::chrono::duration<double, std::milli>(Clock::now() -
                                                            *std::exchange(captured_, std::nullopt))
                      .count();
}

}  // namespace saccade
