#include "app/live/view/live_window.h"

#include <imgui.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "app/io/interrupts.h"
#include "app/live/state/controls.h"
#include "app/live/view/wall_view.h"
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
                               const Wishes& wishes, Window& window,
                               const std::vector<NamedSource>& sources,
                               std::span<const LivePlace> places)
    : engine(std::move(opened)),
      window_engine(window_options(options.engine, engine->device(), window)),
      pictures(PictureRing::between(engine->device(), window_engine.device())),
      screen(window_engine.device(), window, wishes.window.present_mode, options.settings.layout),
      loop(*engine, options.capture, std::filesystem::current_path(), sources, places, *pictures,
           Window::wake) {
    loop.add(options.audiences);
    spdlog::info("running on {}", engine->device().info().name);
}

LiveWindow::LiveWindow(LiveWindowOptions options)
    : options_(std::move(options)),
      session_{.wishes = with_classes_beside(options_.wishes)},
      tour_(options_.tour && options_.sources.size() == 1 &&
            options_.wishes.look.attention.mode != AttentionMode::off),
      asked_(options_.wishes.look.model),
      window_({"Saccade", options_.settings.width, options_.settings.height,
               session_.wishes.window.full_screen}),
      offers_(options_.settings.recent),
      exporter_(std::filesystem::current_path()),
      regions_(options_.sources.size(), KeptRegions(RegionStore(drawn_regions_folder()))) {
    Wishes& wishes = session_.wishes;
    wishes.wall.count = options_.sources.size();
    wishes.source = options_.sources.front().source;
    for (size_t i = 0; wishes.wall.count > 1 && i < wishes.wall.count; ++i) {
        NamedSource& source = options_.sources[i];
        exporter_.notify(regions_[i].follow(source.source, source.regions));
    }
    if (wishes.wall.count == 1 && !options_.sources.front().regions.all.empty())
        wishes.regions = options_.sources.front().regions;
    on_ = std::make_unique<OnDevice>(std::make_unique<Engine>(options_.engine), options_,
                                     session_.wishes, window_, options_.sources,
                                     std::vector<LivePlace>(options_.sources.size()));
}

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
    const bool works =
        tour_.on() || pull_.busy() || exporter_.busy() || on_->screen.ui().has_keyboard();
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
    const bool side_by_side = session_.wishes.wall.side_by_side();
    if (area(view_.scene.picture) > 0 && !side_by_side) offers_.add_recent(status().source);
    // A file that has ended pauses, so that playing it begins again.
    if (!std::exchange(at_end_, status().player.at_end) && at_end_ && !side_by_side)
        session_.wishes.frozen = true;
    if (status().recording_failed) session_.wishes.recording = false;
    move_to_models(session_.pointer, status().models_version);
    if (!side_by_side) follow_words(session_, view_.scene);
    MapModel& model = session_.wishes.look.model;
    const uint64_t version = status().models_version;
    const bool other = std::exchange(models_version_, version) != version;
    if (other && model == asked_) model = asked_ = status().richest;
    if (other) session_.wishes.look.heads_off.clear();  // heads of other models are other heads
    frames_due_ = std::max(frames_due_, 1);
}

void LiveWindow::replace_device(const DeviceLost& lost) {
    losses_.tell(lost);
    const std::vector<LivePlace> places = on_->loop.end();
    options_.settings.layout = on_->screen.ui().layout();
    on_.reset();
    on_ = std::make_unique<OnDevice>(open_again(options_.engine), options_, session_.wishes,
                                     window_, options_.sources, places);
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
        if (session_.wishes.wall.side_by_side()) {
            take_wall_event(event, panels);
            continue;
        }
        if (event.kind == WindowEvent::Kind::move)
            tour_.see_mouse(event.place);
        else if (event.kind != WindowEvent::Kind::leave)
            tour_.stop();
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

std::optional<size_t> LiveWindow::tile_at(glm::vec2 pixel) const {
    for (size_t i = 0; i < view_.tiles.size(); ++i)
        if (place_of(view_, i).contains(pixel)) return i;
    return {};
}

void LiveWindow::bring_to_front(size_t source) {
    Wishes& wishes = session_.wishes;
    wishes.wall.front = wishes.wall.chosen = source;
    wishes.source = options_.sources[source].source;
    wishes.regions = options_.sources[source].regions;
    release_held(session_.pointer);
    session_.pointer.target = {};
}

void LiveWindow::take_wall_event(const WindowEvent& event, PanelFocus panels) {
    Wishes::Wall& wall = session_.wishes.wall;
    using Kind = WindowEvent::Kind;
    if (event.kind == Kind::key) {
        if (panels.keyboard || event.repeated) return;
        const size_t last = wall.count - 1;
        if (event.key == enter_key)
            bring_to_front(wall.chosen);
        else if (event.key == left_key || event.key == right_key)
            wall.chosen = event.key == left_key ? (wall.chosen + last) % wall.count
                                                : (wall.chosen + 1) % wall.count;
        else
            press_key(session_, event.key);
        return;
    }
    const bool places = event.kind == Kind::move || event.kind == Kind::press;
    const std::optional<size_t> tile =
        places && !panels.mouse ? tile_at(event.place) : std::nullopt;
    if (event.kind == Kind::press && event.button == 0 && tile) return bring_to_front(*tile);
    if (event.kind != Kind::move && event.kind != Kind::leave) return;
    if (tile) wall.chosen = *tile;
    LiveScene scene;
    if (tile) {
        scene = view_.tiles[*tile].scene;
        scene.place = picture_in(view_, *tile);
    }
    apply_event(session_, event, scene, panels);
}

std::string LiveWindow::follow_regions() {
    Wishes& wishes = session_.wishes;
    if (wishes.wall.side_by_side()) return "";
    const size_t front = wishes.wall.subject();
    const std::string trouble = regions_[front].follow(wishes.source, wishes.regions);
    options_.sources[front].source = wishes.source;
    options_.sources[front].regions = wishes.regions;
    return trouble;
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
    look.name_bar = name_bar() * dots.y;
    return layout;
}

Pointer LiveWindow::pointer_now() {
    Pointer pointer = session_.pointer;
    if (!tour_.on()) return pointer;
    const PlayerStatus& player = status().player;
    Tour::Sights sights{.scene = player.scene, .moves = !status().stands};
    // Words of a caption that is still being written come later.
    sights.all = sights.moves || status().complete;
    if (sights.all) sights.words = uint32_t(view_.words.size());
    const std::vector<Detection>& found = view_.scene.detections;
    const auto strongest = std::ranges::max_element(found, {}, &Detection::score);
    if (strongest != found.end()) sights.query = strongest->query;
    pointer.target = tour_.target(sights, Clock::now());
    pointer.tour = tour_.first_round();
    return pointer;
}

void LiveWindow::show() {
    last_shown_ = Clock::now();
    frames_due_ = std::max(frames_due_ - 1, 0);
    const std::vector<WindowEvent> events = queue_.take();
    if (!on_->screen.begin(events)) return;  // minimised: frames go on
    pull_.poll();                            // a model that has come is wished for
    const Wishes& wishes = session_.wishes;
    pull_.follow({wishes.detector, wishes.classifier, wishes.captioner});
    if (const std::string& notice = exporter_.notice(); !notice.empty())
        session_.status.notice = notice;
    const ViewLayout layout = place_view();
    take_events(events);
    session_.status.present_modes = on_->screen.swapchain().modes();
    const ImVec2 dots = ImGui::GetIO().DisplayFramebufferScale;
    const auto [first, second] = places_of(view_.scene, layout.picture, {dots.x, dots.y});
    ViewInput input{session_, view_, offers_, pull_, editor_, first, second, tour_.on()};
    draw_view(input, layout);
    exporter_.notify(follow_regions());
    exporter_.follow(session_, view_);
    if (!session_.events.take<Quit>().empty()) quit_ = true;
    on_->loop.want(session_.wishes, pointer_now(), session_.events);
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
