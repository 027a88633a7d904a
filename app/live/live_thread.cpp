#include "app/live/live_thread.h"

#include <cmath>
#include <utility>

namespace saccade {

namespace {

using namespace std::chrono_literals;

// How often the window hears of what changes slowly: figures, and the progress of loading.
constexpr auto telling = 100ms;
// How long the thread sleeps when nothing can happen before the person wants something else,
constexpr auto sleeping = 1s;
// and when a camera that is gone may be back.
constexpr auto dozing = 200ms;

}  // namespace

LiveThread::LiveThread(Engine& engine, const CaptureOptions& capture, std::filesystem::path folder,
                       const LivePlace& from, PictureRing& window, std::function<void()> on_news)
    : loop_(engine, capture, std::move(folder), from), on_news_(std::move(on_news)) {
    loop_.show_in(window);
    view_.report = loop_.report();
    thread_ = std::jthread([this](std::stop_token stop) { run(stop); });
}

void LiveThread::want(const LiveState& state) {
    const std::scoped_lock lock(mutex_);
    wish_ = state;
    wake_.notify_all();
}

bool LiveThread::read(LiveView& view) {
    const std::scoped_lock lock(mutex_);
    if (error_) std::rethrow_exception(error_);
    if (!std::exchange(news_, false)) return false;
    view = view_;
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
    LiveState wish;
    bool asked = false, waits = false;
    std::string said;
    auto told = std::chrono::steady_clock::now() - telling;
    while (!stop.stop_requested()) {
        {
            std::unique_lock lock(mutex_);
            if (!asked || waits)
                wake_.wait_for(lock, stop, asked && loop_.waits_for_source() ? dozing : sleeping,
                               [&] { return wish_.has_value(); });
            if (wish_) {
                asked = true;
                waits = false;
                wish = *std::exchange(wish_, std::nullopt);
            }
            if (screen_ms_) loop_.note_time("screen", *std::exchange(screen_ms_, std::nullopt));
        }
        if (!asked || stop.stop_requested()) continue;
        const bool news = work(wish);
        const auto now = std::chrono::steady_clock::now();
        const bool waited =
            std::exchange(waits, loop_.waits_for_person() || loop_.waits_for_source());
        // Who waits on says nothing that he has not said.
        const bool wakes_window =
            waits ? !waited || loop_.report().source_state + loop_.report().notice != said
                  : now - told > telling;
        if (news || wakes_window) {
            told = now;
            said = loop_.report().source_state + loop_.report().notice;
            publish();
        }
        if (!news && !waits) loop_.rest();
    }
} catch (...) {
    const std::scoped_lock lock(mutex_);
    error_ = std::current_exception();
    on_news_();
}

bool LiveThread::work(LiveState& wish) {
    // Queries and words that were chosen of another model mean nothing any more.
    if (wish.swaps != loop_.report().swaps) {
        release_held(wish);
        wish.word.reset();
    }
    const bool finished = loop_.step(wish);
    // Frames are also finished before models change, when step() tells of none.
    if (loop_.shown()) loop_.shown()->window.publish();
    return finished;
}

void LiveThread::tell_classes(LiveView& view,
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
    view.report = loop_.report();
    view.over = loop_.over();
    if (const std::optional<Done>& shown = loop_.shown()) {
        view.repeated = shown->repeated;
        view.captured = shown->result.info.captured;
        view.scene.picture = shown->result.info.size;
        view.scene.detections = shown->result.detections.value_or(std::vector<Detection>());
        view.scene.tiles = shown->tiles;
        view.scene.words = shown->words;
        view.scene.takes_examples = view.report.detector.takes_words;
        view.attention = shown->attention;
        if (shown->second) {
            view.scene.second = {shown->second->below, shown->second->bare, shown->second->tiles};
            view.second_attention = shown->second->attention;
        }
        view.words = loop_.captions().caption().words;
        tell_classes(view, shown->result.classes);
    }
    {
        const std::scoped_lock lock(mutex_);
        view_ = std::move(view);
        news_ = true;
    }
    on_news_();
}

}  // namespace saccade
