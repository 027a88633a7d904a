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

// Screenshots and videos of what is seen, written on a thread of its own. Nobody waits for it: a
// video's frames that come faster than they can be written are left out, and the one before is
// shown for longer.
class Recorder {
public:
    // Files are named after the time, saccade-20240131-235959.png, and lie in `folder`. Two
    // recorders of one folder need other names.
    explicit Recorder(std::filesystem::path folder, double rate = 30, std::string name = "saccade");
    ~Recorder();  // finishes what was begun
    Recorder(const Recorder&) = delete;
    Recorder& operator=(const Recorder&) = delete;

    // Copies the picture (BGR).
    void screenshot(const PictureView& picture);
    // The first frame after start() begins a file, and so does one of another size. `time` is in
    // seconds, by any clock that does not go back.
    void start();
    void frame(const PictureView& picture, double time);
    // The last frame is shown until `time`.
    void stop(double time);

    // A name of its own kind that is free.
    std::filesystem::path new_file(const char* ending) const;

    bool recording() const { return recording_; }
    // The video could not be written on, which news() says why; start() tries another one.
    bool failed() const;
    double seconds() const;  // of the video that is being recorded
    uint64_t left_out() const;
    // What has been written, or could not be, since this was last asked.
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
    std::vector<std::vector<uint8_t>> spare_;  // memory of jobs that are done
    std::optional<std::string> news_;
    bool failed_ = false;

    // The thread's own.
    std::unique_ptr<VideoWriter> video_;
    double video_start_ = 0;
    Size video_size_;
    std::vector<uint8_t> held_;  // the frame that is shown until the next

    std::jthread thread_;
};

}  // namespace saccade
