#include "app/live/live_thread.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

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

LiveThread::LiveThread(Engine& engine, const CaptureOptions& capture, std::filesystem::path folder,
                       const LivePlace& from, std::function<void()> on_news)
    : loop_(engine, capture, std::move(folder), from), on_news_(std::move(on_news)) {
    loop_.read_every_picture();
    status_ = loop_.status();
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
    new_picture_ = ready_.number > shown_.number;
    if (new_picture_) std::swap(ready_, shown_);
    return true;
}

std::optional<PictureView> LiveThread::picture() const {
    if (area(shown_.size) == 0) return {};
    return PictureView{shown_.bytes.data(), shown_.size.x, shown_.size.y, 3 * shown_.size.x, true};
}

void LiveThread::was_shown(double screen_ms) {
    const std::scoped_lock lock(mutex_);
    screen_ms_ = screen_ms;
}

LivePlace LiveThread::end() {
    thread_.request_stop();
    if (thread_.joinable()) thread_.join();
    return loop_.place();
}

void LiveThread::run(std::stop_token stop) try {
    std::optional<Wanted> wanted;
    bool waits = false;
    std::string said;
    auto published = std::chrono::steady_clock::now() - publish_interval;
    while (!stop.stop_requested()) {
        {
            std::unique_lock lock(mutex_);
            if (!wanted || waits)
                wake_.wait_for(lock, stop,
                               wanted && loop_.waits_for_source() ? retry_interval : sleep_interval,
                               [&] { return wanted_.has_value(); });
            if (wanted_) {
                waits = false;
                wanted = std::exchange(wanted_, std::nullopt);
            }
            if (screen_ms_) loop_.add_time("screen", *std::exchange(screen_ms_, std::nullopt));
        }
        if (!wanted || stop.stop_requested()) continue;
        const bool new_picture = loop_.step(wanted->wishes, wanted->pointer, wanted->events);
        if (new_picture) copy_picture(wanted->wishes.look.second.below);
        const auto now = std::chrono::steady_clock::now();
        const bool waited =
            std::exchange(waits, loop_.waits_for_person() || loop_.waits_for_source());
        // A loop that waits wakes the window only for a message that it has not shown.
        const std::string says = loop_.status().source_state + loop_.status().notice;
        const bool due = waits ? !waited || says != said : now - published > publish_interval;
        if (new_picture || due) {
            published = now;
            said = says;
            publish();
        }
        if (!new_picture && !waits) loop_.rest();
    }
} catch (...) {
    const std::scoped_lock lock(mutex_);
    error_ = std::current_exception();
    on_news_();
}

void LiveThread::copy_picture(bool below) {
    const PictureView& picture = loop_.shown()->picture;
    if (!picture.pixels) return;
    const std::optional<SecondPicture>& second = loop_.shown()->second;
    below_ = below;
    const TwoViews views = two_views({picture.width, picture.height}, below);
    filled_.size = second ? views.all : Size(picture.width, picture.height);
    filled_.bytes.resize(3 * area(filled_.size));
    if (second) std::ranges::fill(filled_.bytes, uint8_t{0});  // what is between them
    copy_view(picture, {});
    if (second) copy_view(second->picture, views.corner);
    const std::scoped_lock lock(mutex_);
    filled_.number = std::max(ready_.number, shown_.number) + 1;
    std::swap(filled_, ready_);
}

void LiveThread::copy_view(const PictureView& picture, Size corner) {
    const size_t row = 3 * size_t(filled_.size.x);
    for (uint32_t y = 0; y < picture.height; ++y)
        std::memcpy(&filled_.bytes[(corner.y + y) * row + 3 * corner.x],
                    picture.pixels + size_t(y) * picture.row_bytes, size_t(picture.width) * 3);
}

void LiveThread::list_classes(LiveView& view,
                              const std::optional<std::vector<ClassScore>>& found) const {
    const Classifier* classifier = loop_.models().classifier;
    if (!classifier || !found) return;
    view.classified = true;
    for (const ClassScore& one : *found) {
        if (one.score < classifier->sure_above()) continue;
        view.classes.push_back({classifier->labels().at(one.id), one.score});
        view.likely += (view.likely.empty() ? "" : ", ") + view.classes.back().label + " " +
                       std::to_string(std::lround(100 * one.score)) + " %";
    }
}

void LiveThread::publish() {
    LiveView view;
    view.over = loop_.over();
    if (const std::optional<Done>& shown = loop_.shown()) {
        view.repeated = shown->repeated;
        view.captured = shown->result.info.captured;
        view.scene.picture = shown->result.info.size;
        view.scene.detections = shown->result.detections.value_or(std::vector<Detection>());
        view.scene.tiles = shown->tiles;
        view.scene.words = shown->words;
        view.scene.takes_examples = loop_.status().detector.takes_words;
        view.attention = shown->attention;
        if (shown->second) {
            view.scene.second = {below_, shown->second->bare, shown->second->tiles};
            view.second_attention = shown->second->attention;
        }
        view.words = loop_.captions().caption().words;
        list_classes(view, shown->result.classes);
    }
    {
        const std::scoped_lock lock(mutex_);
        if (area(view.scene.picture) == 0 && area(shown_.size) + area(ready_.size) > 0)
            ready_ = {
                .bytes = {}, .size = {}, .number = std::max(ready_.number, shown_.number) + 1};
        view_ = std::move(view);
        status_ = loop_.status();
        news_ = true;
    }
    on_news_();
}

}  // namespace saccade
