#include "app/live/wall/live_thread.h"

#include <cmath>
#include <utility>

#include "app/draw/labels.h"
#include "app/live/wall/wall_grid.h"

namespace saccade {

namespace {

using namespace std::chrono_literals;

// The time between two views of what changes slowly: figures, and the progress of loading.
constexpr auto publish_interval = 100ms;
// How long the thread sleeps at a time while it waits for the window,
constexpr auto sleep_interval = 1s;
// and for a camera to come back.
constexpr auto retry_interval = 200ms;

}  // namespace

LiveThread::LiveThread(Engine& engine, const CaptureOptions& capture,
                       const std::filesystem::path& folder, const std::vector<NamedSource>& sources,
                       std::span<const LivePlace> from, PictureRing& window,
                       std::function<void()> on_news)
    : wall_(engine, capture, folder, from),
      parts_(sources.size()),
      sources_(sources),
      on_news_(std::move(on_news)) {
    wall_.show_in(window);
    status_ = wall_[0].status();
    thread_ = std::jthread([this](std::stop_token stop) { run(stop); });
}

void LiveThread::want(const Wishes& wishes, const Pointer& pointer, Events& events) {
    const bool same =
        last_wanted_ && last_wanted_->first == wishes && last_wanted_->second == pointer;
    if (same && events.empty()) return;
    if (!same) last_wanted_.emplace(wishes, pointer);
    const std::scoped_lock lock(mutex_);
    if (!wanted_) wanted_.emplace();
    wanted_->wishes = wishes;
    wanted_->pointer = pointer;
    wanted_->events.add(std::exchange(events, {}));
    wake_.notify_all();
}

bool LiveThread::read(LiveView& view, Status& status) {
    const std::scoped_lock lock(mutex_);
    if (error_) std::rethrow_exception(error_);
    if (!std::exchange(news_, false)) return false;
    view = view_;
    status = status_;
    return true;
}

void LiveThread::was_shown(double screen_ms) {
    const std::scoped_lock lock(mutex_);
    screen_ms_ = screen_ms;
}

std::vector<LivePlace> LiveThread::end() {
    thread_.request_stop();
    if (thread_.joinable()) thread_.join();
    return wall_.places();
}

void LiveThread::add(std::span<Audience* const> audiences) {
    audiences_.assign(audiences.begin(), audiences.end());
    for (size_t i = 0; i < audiences_.size(); ++i)
        wall_[i].on_shown([this, i] { audiences_[i]->show(wall_[i], parts_[i].wishes, true); });
}

void LiveThread::spread(Wanted& wanted) {
    const Wishes& all = wanted.wishes;
    const Wishes::Wall& wall = all.wall;
    const size_t subject = wall.subject();
    if (wall.front) sources_[*wall.front].regions = all.regions;
    if (wall.front && !all.source.empty()) sources_[*wall.front].source = all.source;
    if (std::exchange(front_, wall.front) != wall.front && wall.front)
        wall_[*wall.front].take_captions();
    const std::vector<WindowTile> tiles = wall.side_by_side() && area(all.look.room) > 0
                                              ? wall_grid(parts_.size(), all.look.room)
                                              : std::vector<WindowTile>();
    for (size_t i = 0; i < parts_.size(); ++i) {
        WallPart& part = parts_[i];
        const bool is_subject = i == subject;
        part.wishes = all;
        if (is_subject) part.events.add(std::exchange(wanted.events, {}));
        part.pointer = wanted.pointer;
        if (!is_subject) part.pointer.target = {};
        if (!audiences_.empty()) audiences_[i]->add_wishes(part.wishes, part.events);
        if (parts_.size() == 1) continue;
        Wishes& wishes = part.wishes;
        wishes.name = sources_[i].name;
        wishes.source = sources_[i].source;
        wishes.regions = sources_[i].regions;
        wishes.recording = all.recording && is_subject;
        wishes.frozen = all.frozen && (!wall.front || is_subject);
        if (i > 0) wishes.feed.clear(), wishes.examples.clear();
        if (!tiles.empty()) {
            wishes.look.tile = tiles[i];
            const float bar = all.look.name_bar / static_cast<float>(tiles[i].size.y);
            wishes.look.legends = {Rectangle{{0, 0}, {0.5f, bar}}, Rectangle()};
        } else if (!is_subject) {
            wishes.look.room = {};
        }
    }
}

void LiveThread::run(std::stop_token stop) try {
    std::optional<Wanted> wanted;
    bool waits = false, fresh = false;
    std::string said;
    auto last = std::chrono::steady_clock::now() - publish_interval;
    while (!stop.stop_requested()) {
        {
            std::unique_lock lock(mutex_);
            if (!wanted || waits)
                wake_.wait_for(lock, stop,
                               wanted && wall_.waits_for_source() ? retry_interval : sleep_interval,
                               [&] { return wanted_.has_value(); });
            if (wanted_) {
                waits = false;
                fresh = true;
                wanted = std::exchange(wanted_, std::nullopt);
            }
            if (screen_ms_) wall_[0].add_time("screen", *std::exchange(screen_ms_, std::nullopt));
        }
        if (!wanted || stop.stop_requested()) continue;
        if (std::exchange(fresh, false)) spread(*wanted);
        const bool stepped = wall_.step(parts_);
        // Frames are also finished before models change, when step() returns false.
        const bool tiled = parts_[0].wishes.look.tile.has_value();
        const bool published = wall_.publish(parts_[0].wishes.look, wanted->wishes.wall.subject());
        const bool new_picture = tiled ? published : wall_.has_news(wanted->wishes.wall.subject());
        const auto now = std::chrono::steady_clock::now();
        const bool waited = std::exchange(
            waits, !wall_.sends() && (wall_.waits_for_person() || wall_.waits_for_source()));
        // A loop that waits wakes the window only for a message that it has not shown.
        const std::string news = says();
        const bool due = waits ? !waited || news != said : now - last > publish_interval;
        if (new_picture || due) {
            last = now;
            said = news;
            publish(*wanted);
        }
        if (!stepped && !new_picture && !waits) wall_.rest();
    }
} catch (...) {
    const std::scoped_lock lock(mutex_);
    error_ = std::current_exception();
    on_news_();
}

std::string LiveThread::says() const {
    std::string says;
    for (const Status* const status : wall_.statuses())
        says += status->source_state + status->notice;
    return says;
}

void LiveThread::list_classes(LiveView& view, const LiveLoop& loop) const {
    const Classifier* classifier = loop.models().classifier;
    const std::optional<std::vector<ClassScore>>& found = loop.shown()->result.classes;
    if (!classifier || !found) return;
    view.classified = true;
    const std::vector<std::string>& labels = loop.shown()->labels->classifier;
    view.of_classes = labels.size();
    view.sure_above = classifier->sure_above();
    for (const ClassScore& one : *found) {
        if (one.score < classifier->sure_above()) continue;
        view.classes.push_back({labels[one.id], one.score});
        view.likely += (view.likely.empty() ? "" : ", ") + view.classes.back().label + " " +
                       std::to_string(std::lround(100 * one.score)) + " %";
    }
    if (!view.likely.empty()) view.likely += " of " + std::to_string(view.of_classes) + " classes";
}

void LiveThread::show_tiles(LiveView& view) const {
    for (size_t i = 0; i < parts_.size(); ++i) {
        const LiveLoop& loop = wall_[i];
        const Status& status = loop.status();
        TileView& tile = view.tiles.emplace_back();
        tile.name = sources_[i].name;
        tile.state = status.source_state;
        tile.tile = *parts_[i].wishes.look.tile;
        tile.newest = began_;
        tile.dropped = status.dropped;
        tile.rate = status.frames_per_second;
        if (!loop.shown()) continue;
        const FrameResult& result = loop.shown()->result;
        tile.newest = result.info.captured;
        tile.scene.picture = result.info.size;
        if (result.detections) tile.scene.detections = one_for_each_thing(*result.detections);
        tile.scene.tiles = loop.shown()->tiles;
        tile.scene.words = loop.shown()->words;
    }
}

void LiveThread::publish(const Wanted& wanted) {
    LiveView view;
    view.over = wall_.over();
    const LiveLoop& loop = wall_[wanted.wishes.wall.subject()];
    if (const std::optional<Done>& shown = loop.shown()) {
        view.repeated = shown->repeated;
        view.captured = shown->result.info.captured;
        view.scene.picture = shown->result.info.size;
        view.labels = shown->labels;
        view.found = shown->result.detections.value_or(std::vector<Detection>());
        view.scene.detections = one_for_each_thing(view.found);
        view.scene.tiles = shown->tiles;
        view.scene.words = shown->words;
        view.scene.takes_examples = loop.status().detector.takes_words;
        view.attention = shown->attention;
        if (shown->second) {
            view.scene.second = {shown->second->below, shown->second->bare, shown->second->tiles};
            view.second_attention = shown->second->attention;
        }
        view.words = loop.captions().caption().words;
        list_classes(view, loop);
    }
    if (const std::optional<WindowTile> tile = parts_[0].wishes.look.tile) {
        view.scene = {};
        view.scene.picture = tile->all;
        show_tiles(view);
    }
    {
        const std::scoped_lock lock(mutex_);
        view_ = std::move(view);
        status_ = loop.status();
        news_ = true;
    }
    on_news_();
}

}  // namespace saccade
