#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "app/live/input.h"
#include "app/live/wall/audience.h"
#include "app/live/wall/source_list.h"
#include "app/live/wall/wall.h"

namespace saccade {

// A class that scores above the classifier's threshold.
struct LikelyClass {
    std::string label;
    float score = 0;
};

// What a window shows of one of several sources, besides its picture.
struct TileView {
    std::string name, state;  // state: why it gives no picture; empty if it does
    LiveScene scene;          // without its place in the window
    WindowTile tile;
    std::chrono::steady_clock::time_point newest;  // its newest picture's, or when the run began
    uint64_t dropped = 0;
    double rate = 0;
};

// What a window shows of the loop besides its status, in memory of its own.
struct LiveView {
    LiveScene scene;                                           // without its place in the window
    std::optional<AttentionSeen> attention, second_attention;  // of either view
    std::vector<Detection> found;  // those of the scene, and their rivals for the same things
    std::shared_ptr<const ResultLabels> labels;  // of what was found
    std::vector<CaptionWord> words;
    bool classified = false;  // by a classifier that has classes
    size_t of_classes = 0;    // so many
    float sure_above = 0;     // the score of a class that is shown
    std::vector<LikelyClass> classes;
    std::string likely;  // the same in one line
    std::chrono::steady_clock::time_point captured;
    std::vector<TileView> tiles = {};  // of several sources side by side; the scene is all of them
    bool repeated = false;             // the frame was shown before
    bool over = false;                 // a file has ended, or its frames do not fit into memory
};

// The loop on a thread of its own: its newest view can be read at once, however long models take.
class LiveThread {
public:
    // The loop's pictures go to `window`, which must outlive it. `on_news` is called on the thread
    // when there is a new view.
    // `from`: one for each source.
    LiveThread(Engine& engine, const CaptureOptions& capture, const std::filesystem::path& folder,
               const std::vector<NamedSource>& sources, std::span<const LivePlace> from,
               PictureRing& window, std::function<void()> on_news);
    // One for each source, besides the window. Before the first want().
    void add(std::span<Audience* const> audiences);

    // What the loop works on from now on. Takes the events. A sleeping loop wakes up only if
    // something is new.
    void want(const Wishes& wishes, const Pointer& pointer, Events& events);
    // True if there is another view than last time. Throws the error that has ended the thread.
    bool read(LiveView& view, Status& status);
    // The time that it took to show it.
    void was_shown(double screen_ms);

    // Ends the thread; returns how far the loops have come.
    std::vector<LivePlace> end();

private:
    // What the loop is to do, as the window said it last.
    struct Wanted {
        Wishes wishes;
        Pointer pointer;
        Events events;
    };

    void run(std::stop_token stop);
    // What each source is to do.
    void spread(Wanted& wanted);
    void publish(const Wanted& wanted);
    void show_tiles(LiveView& view) const;
    std::string says() const;
    void list_classes(LiveView& view, const LiveLoop& loop) const;

    const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
    Wall wall_;
    std::vector<WallPart> parts_;
    std::vector<NamedSource> sources_;
    std::optional<size_t> front_;  // that pictures are of
    std::vector<Audience*> audiences_;
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
