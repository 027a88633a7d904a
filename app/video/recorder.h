#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "app/video/video_writer.h"
#include "gpu/transfer/frame.h"

namespace saccade {

// Writes screenshots and videos of the view on a thread of its own, without delaying the caller: a
// frame that comes faster than it can be encoded is dropped, and the one before is shown for
// longer.
class Recorder {
public:
    // Files are named after the time, saccade-20240131-235959.png, in `folder`. Two recorders with
    // the same folder need different names.
    explicit Recorder(std::filesystem::path folder, double rate = 30, std::string name = "saccade");
    ~Recorder();  // finishes all queued work
    Recorder(const Recorder&) = delete;
    Recorder& operator=(const Recorder&) = delete;

    // Copies the picture (BGR).
    void screenshot(const PictureView& picture);
    // The first frame after start() begins a file, and so does a frame of another size. `time` is
    // in seconds, by any monotonic clock.
    void start();
    void frame(const PictureView& picture, double time);
    // The last frame is shown until `time`.
    void stop(double time);

    // A free file name with this ending.
    std::filesystem::path new_file(const char* ending) const;

    bool recording() const { return recording_; }
    // Whether the video could not be written; news() has the reason, and start() begins another.
    bool failed() const;
    double seconds() const;  // of the video that is being recorded
    uint64_t left_out() const;
    // A message about a file that was written or failed since the last call.
    std::optional<std::string> news();

private:
    struct Job {
        enum class Kind { screenshot, frame, stop } kind;
        std::vector<uint8_t> pixels = {};
        uint32_t width = 0, height = 0;
        double time = 0;
        PictureView view() const { return {pixels.data(), width, height, 3 * width, true}; }
    };

    bool push(Job::Kind kind, const PictureView& picture, double time);
    void run(std::stop_token stop);
    void do_job(const Job& job);
    void add_frame(const Job& job);
    void show_until(double time);
    void finish_video(double time);

    const std::filesystem::path folder_;
    const double rate_;
    const std::string name_;
    bool recording_ = false;
    std::optional<double> first_time_;
    double last_time_ = 0;
    uint64_t left_out_ = 0;

    mutable std::mutex mutex_;
    std::condition_variable_any wake_;
    std::deque<Job> jobs_;
    std::vector<std::vector<uint8_t>> spare_;  // recycled memory of finished jobs
    std::optional<std::string> news_;
    bool failed_ = false;

    // Only the thread uses these.
    std::unique_ptr<VideoWriter> video_;
    double video_start_ = 0;
    Size video_size_;
    std::vector<uint8_t> held_;  // the current frame, repeated until the next

    std::jthread thread_;
};

}  // namespace saccade
