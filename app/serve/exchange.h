#pragma once

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "app/live/state/wishes.h"
#include "app/pipeline/frame_order.h"
#include "app/serve/health.h"
#include "app/serve/lecture/lecture_news.h"
#include "app/serve/viewer_message.h"
#include "app/video/jpeg.h"

namespace saccade {

// A frame for all viewers. Each map is for one of them.
struct ServedFrame {
    uint64_t number = 0;  // they are counted from 1
    std::chrono::steady_clock::time_point captured;
    std::string line;                         // of FRAMES.jsonl
    std::vector<std::string> crossings = {};  // lines of events.jsonl
    std::string found;  // more about the detections, for the page: a JSON object
    std::vector<MapOnHost> maps;
    std::vector<uint8_t> jpeg, small;  // as far as they were wanted
};

// The demands of all connections together.
struct Demand {
    bool watched = false;                               // pictures are wanted, now or soon
    std::optional<uint64_t> newer_than = std::nullopt;  // some viewer waits for a later frame
    bool whole = true, small = false;                   // in which sizes
    bool lines = false;                                 // of every frame
    std::vector<RemoteLook> looks = {};
};

// Connects the loop's thread, which has frames, and the server's thread. Neither waits for the
// other: a third one encodes pictures, only on demand, and the newest wins.
class Exchange {
public:
    using Clock = std::chrono::steady_clock;

    static constexpr uint32_t small_width = 480;  // of a small picture, at most

    // `news` is called on any thread when there is something to send.
    explicit Exchange(std::function<void()> news);
    ~Exchange();
    Exchange(const Exchange&) = delete;
    Exchange& operator=(const Exchange&) = delete;

    // Ends encoding and calls of `news`.
    void stop();

    // ---- for the loop ----

    bool watched() const;
    bool listened() const;  // some connection wants every line
    std::vector<RemoteLook> looks() const;
    std::vector<SharedWish> take_wishes();
    // The parts of the newest frame that some connection waits for.
    struct Wanted {
        bool picture = false, line = false;
    };
    Wanted wanted(uint64_t number) const;
    // Copies the planes, if there are any; without them the frame is only a line.
    void show(ServedFrame frame, const PlanarView& planes);
    // The status: a JSON object for the page, text for /metrics, and what the page of a wall shows
    // of one source.
    void tell(std::string state, std::string metrics, std::string brief = "{}");
    // The newest lecture, and what becomes of the next one.
    void tell_lecture(LectureNews news);
    // A sign of life from the loop.
    void beat(Pulse pulse);

    // ---- for the server ----

    void want(Demand demand);
    void wish(SharedWish wish);
    std::shared_ptr<const ServedFrame> picture() const;  // null before the first
    // Events in the format of /events: lines of frames, and crossings.
    std::vector<std::string> take_events();
    struct Told {
        uint64_t version = 0;
        std::string state, metrics, brief = "{}";
    };
    Told told() const;
    uint64_t told_version() const;
    LectureNews lecture() const;
    uint64_t lecture_version() const;
    uint64_t newest() const { return pulse().newest; }
    Pulse pulse() const;
    // After `stale` seconds without a frame it is bad.
    Health health(double stale) const;

    struct Counts {
        uint64_t encoded = 0, bytes = 0;
        double encode_seconds = 0;
    };
    Counts counts() const;

private:
    void encode(const std::stop_token& stop);

    const std::function<void()> news_;
    mutable std::mutex mutex_;
    std::condition_variable_any changed_;
    Demand demand_;
    std::vector<SharedWish> wishes_;
    Told told_;
    LectureNews lecture_;
    uint64_t lecture_version_ = 0;
    std::deque<std::string> events_;
    uint64_t line_given_ = 0, whole_given_ = 0, small_given_ = 0;
    // To be encoded, the oldest first. Two frames may follow each other at once.
    struct Waiting {
        ServedFrame frame;
        std::vector<uint8_t> planes;
        PlaneLayout layout;
        bool whole = false, small = false;  // the sizes to encode
    };
    std::array<Waiting, 2> waiting_;
    size_t waiting_count_ = 0;
    std::shared_ptr<const ServedFrame> picture_;
    Counts counts_;
    Pulse pulse_;
    Clock::time_point beat_ = Clock::now();
    std::jthread encoder_;  // the last one: it ends first
};

}  // namespace saccade
