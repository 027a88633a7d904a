#pragma once

#include <atomic>
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
    std::vector<uint8_t> jpeg;
};

// What all connections together wait for.
struct Demand {
    bool watched = false;                               // pictures are wanted, now or soon
    std::optional<uint64_t> newer_than = std::nullopt;  // a viewer waits for a frame after this one
    bool lines = false;                                 // of every frame
    std::vector<RemoteLook> looks = {};
};

// Connects the loop's thread, which has frames, and the server's thread. Neither waits for the
// other: a third one encodes pictures, only on demand, and the newest wins.
class Exchange {
public:
    using Clock = std::chrono::steady_clock;

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
    // What is wanted of the newest frame.
    struct Wanted {
        bool picture = false, line = false;
    };
    Wanted wanted(uint64_t number) const;
    // Copies the planes, if there are any; without them it is a line only.
    void show(ServedFrame frame, const PlanarView& planes);
    // The status: a JSON object for the page, and text for /metrics.
    void tell(std::string state, std::string metrics);
    // The loop is alive, and this frame is the newest.
    void beat(uint64_t number);

    // ---- for the server ----

    void want(Demand demand);
    void wish(SharedWish wish);
    std::shared_ptr<const ServedFrame> picture() const;  // null before the first
    // Events in the format of /events: lines of frames, and crossings.
    std::vector<std::string> take_events();
    struct Told {
        uint64_t version = 0;
        std::string state, metrics;
    };
    Told told() const;
    uint64_t told_version() const;
    uint64_t newest() const { return newest_; }
    double seconds_since_beat() const;

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
    std::deque<std::string> events_;
    uint64_t line_given_ = 0, picture_given_ = 0;
    std::optional<ServedFrame> next_;  // to be encoded
    std::vector<uint8_t> planes_;      // of that
    PlaneLayout layout_;
    std::shared_ptr<const ServedFrame> picture_;
    Counts counts_;
    std::atomic<uint64_t> newest_ = 0;
    std::atomic<Clock::rep> beat_;
    std::jthread encoder_;  // the last one: it ends first
};

}  // namespace saccade
