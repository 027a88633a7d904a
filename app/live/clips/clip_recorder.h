#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "app/live/clips/clip_store.h"
#include "app/video/jpeg.h"
#include "app/video/video_writer.h"
#include "gpu/transfer/planes.h"

namespace saccade {

// Keeps the last seconds of a source as JPEGs. When something happens, it writes a clip of them and
// of the seconds that follow. Its own thread does this, so that the source never waits; if the
// thread cannot keep up, frames are left out of the clip.
class ClipRecorder {
public:
    struct Lengths {
        double before = 5, after = 5, longest = 120;  // seconds
    };

    ClipRecorder(ClipStore& store, std::string source, const Lengths& lengths);
    ClipRecorder(ClipStore& store, std::string source) : ClipRecorder(store, source, Lengths()) {}
    ~ClipRecorder();  // ends the clip that is being written
    ClipRecorder(const ClipRecorder&) = delete;
    ClipRecorder& operator=(const ClipRecorder&) = delete;

    // The next frame, which is copied; `time` in seconds, by any monotonic clock. `happened`: what
    // a clip is made for, in words.
    void add(const PlanarView& planes, double time, std::vector<std::string> happened);
    uint64_t left_out() const;
    size_t waiting() const;  // frames that the thread has not taken yet

private:
    struct Arrived {
        std::vector<uint8_t> planes;
        PlaneLayout layout;
        double time = 0;
        std::vector<std::string> happened;
    };
    struct Kept {
        std::vector<uint8_t> jpeg;
        double time = 0;
    };
    // The clip that is being written.
    struct Open {
        std::filesystem::path name;
        EventClip clip;
        double first = 0, last = 0;  // times of its frames
        double until = 0;            // it takes frames up to this time
        size_t next = 0;             // of the kept frames
        std::unique_ptr<VideoWriter> video;
        Size size;
        std::vector<uint8_t> picture;  // when it happened
        int64_t ticks = -1;
    };

    void run(const std::stop_token& stop);
    std::optional<Arrived> take(const std::stop_token& stop);
    void keep(Arrived& frame);
    void begin(const Arrived& frame);
    // Writes some frames; false if there is nothing to write now.
    bool write_some();
    void write(const Kept& frame);
    void finish();
    void forget_old();

    ClipStore& store_;
    const std::string source_;
    const Lengths lengths_;

    mutable std::mutex mutex_;
    std::condition_variable_any wake_;
    std::deque<Arrived> waiting_;
    std::vector<std::vector<uint8_t>> spare_;
    std::vector<std::string> missed_;  // happened in frames that were left out
    uint64_t left_out_ = 0;

    // Only the thread uses these.
    JpegEncoder encoder_;
    std::deque<Kept> kept_;
    std::optional<Open> open_;

    std::jthread thread_;
};

}  // namespace saccade
