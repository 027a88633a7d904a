#include "app/live/live_thread.h"

#include <cmath>
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
                       const LivePlace& from, PictureRing& window, std::function<void()> on_news)
    : loop_(engine, capture, std::move(folder), from), on_news_(std::move(on_news)) {
    loop_.show_in(window);
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
    return true;
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
        if (new_picture) loop_.shown()->window.publish();
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
            view.scene.second = {shown->second->below, shown->second->bare, shown->second->tiles};
            view.second_attention = shown->second->attention;
        }
        view.words = loop_.captions().caption().words;
        list_classes(view, shown->result.classes);
    }
    {
        const std::scoped_lock lock(mutex_);
        view_ = std::move(view);
        status_ = loop_.status();
        news_ = true;
    }
    on_news_();
}

}  // namespace saccade
