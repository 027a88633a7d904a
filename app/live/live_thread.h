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

// A class that scores above the classifier's threshold.
struct LikelyClass {
    std::string label;
    float score = 0;
};

// What a window shows of the loop besides its status, in memory of its own.
struct LiveView {
    LiveScene scene;                                           // without its place in the window
    std::optional<AttentionSeen> attention, second_attention;  // of either view
    std::vector<CaptionWord> words;
    bool classified = false;  // by a classifier that has classes
    std::vector<LikelyClass> classes;
    std::string likely;  // the same in one line
    std::chrono::steady_clock::time_point captured;
    bool repeated = false;  // the frame was shown before
    bool over = false;      // a file has ended, or its frames do not fit into memory
};

// The loop on a thread of its own: its newest view can be read at once, however long models take.
class LiveThread {
public:
    // The loop's pictures go to `window`, which must outlive it. `on_news` is called on the thread
    // when there is a new view.
    LiveThread(Engine& engine, const CaptureOptions& capture, std::filesystem::path folder,
               const LivePlace& from, PictureRing& window, std::function<void()> on_news);

    // What the loop works on from now on. Takes the events. A sleeping loop wakes up only if
    // something is new.
    void want(const Wishes& wishes, const Pointer& pointer, Events& events);
    // True if there is another view than last time. Throws the error that has ended the thread.
    bool read(LiveView& view, Status& status);
    // The time that it took to show it.
    void was_shown(double screen_ms);

    // Ends the thread; returns how far the loop has come.
    LivePlace end();

private:
    // What the loop is to do, as the window said it last.
    struct Wanted {
        Wishes wishes;
        Pointer pointer;
        Events events;
    };

    void run(std::stop_token stop);
    void publish();
    void list_classes(LiveView& view, const std::optional<std::vector<ClassScore>>& found) const;

    LiveLoop loop_;
    const std::function<void()> on_news_;

    std::mutex mutex_;
    std::condition_variable_any wake_;
    std::optional<Wanted> wanted_;  // that the thread has not taken yet
    LiveView view_;
    Status status_;
    bool news_ = false;
    std::optional<double> screen_ms_;
    std::exception_ptr error_;

    // What the window wanted last; its own.
    std::optional<std::pair<Wishes, Pointer>> last_wanted_;
    std::jthread thread_;
};

}  // namespace saccade
