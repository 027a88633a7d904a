#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "app/live/input.h"
#include "app/live/loop.h"

namespace saccade {

// One that the classifier is sure of.
struct LikelyClass {
    std::string label;
    float score = 0;
};

// What a window shows of the loop, in memory of its own.
struct LiveView {
    LiveReport report;
    LiveScene scene;                                           // without its place in the window
    std::optional<AttentionSeen> attention, second_attention;  // of either view
    std::vector<CaptionWord> words;
    bool classified = false;  // by a classifier that has classes
    std::vector<LikelyClass> classes;
    std::string likely;  // the same in one line
    std::chrono::steady_clock::time_point captured;
    bool repeated = false;  // the picture has been here before
    bool over = false;      // a file has come to its end, or its frames do not fit
};

// The loop on a thread of its own: however long models take, whoever asks for its view gets the
// newest one at once.
class LiveThread {
public:
    // `on_news` is called on the thread when there is something new to see.
    // The loop's pictures go to `window`, which must outlive it.
    LiveThread(Engine& engine, const CaptureOptions& capture, std::filesystem::path folder,
               const LivePlace& from, PictureRing& window, std::function<void()> on_news);

    // The state that it makes true from now on.
    void want(const LiveState& state);
    // True if there is another view than last time; throws what has ended the thread.
    bool read(LiveView& view);
    // What it took to show it.
    void was_shown(double screen_ms);

    // Where it was when it ended: it is ended first.
    LivePlace end();

private:
    void run(std::stop_token stop);
    bool work(LiveState& wish);
    void publish();
    void tell_classes(LiveView& view, const std::optional<std::vector<ClassScore>>& found) const;

    LiveLoop loop_;
    const std::function<void()> on_news_;

    std::mutex mutex_;
    std::condition_variable_any wake_;
    std::optional<LiveState> wish_;  // that has not been taken yet
    LiveView view_;
    bool news_ = false;
    std::optional<double> screen_ms_;
    std::exception_ptr error_;

    std::jthread thread_;
};

}  // namespace saccade
