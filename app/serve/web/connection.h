#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "app/live/state/wishes.h"

namespace saccade {

// So many a second, and twice as many at once.
class Allowance {
public:
    using Clock = std::chrono::steady_clock;

    explicit Allowance(double rate) : rate_(rate), left_(2 * rate) {}

    bool take(Clock::time_point now) {
        const double seconds = std::chrono::duration<double>(now - last_).count();
        left_ = std::min(left_ + rate_ * seconds, 2 * rate_);
        last_ = now;
        if (left_ < 1) return false;
        left_ -= 1;
        return true;
    }
    Clock::time_point last() const { return last_; }

private:
    double rate_, left_;
    Clock::time_point last_ = Clock::now();
};

// An answer that is not on its way yet.
struct Answer {
    unsigned status = 200;
    std::string type = "text/plain; charset=utf-8";
    std::string body = {};
    std::string name = {}, value = {};  // of one header more, where there is one
};

// Somebody at the other end of a socket.
struct Connection {
    using Clock = std::chrono::steady_clock;
    enum class Kind {
        silent,     // has not asked for anything yet
        answering,  // is being answered
        waiting,    // for a picture, or its line
        idle,       // has been answered, and may ask again
        listener,   // to /events
        viewer,     // a page
    };

    explicit Connection(double messages_a_second) : messages(messages_a_second) {}

    Kind kind = Kind::silent;
    Clock::time_point since = Clock::now();  // it is that

    // A request.
    Answer answer;
    bool head = false;        // only headers are asked for
    bool begun = false;       // they have been sent
    bool wants_line = false;  // of the frame; else its picture
    std::deque<std::string> events;

    uint64_t after = 0;  // frames up to this one it has, or they are too old for it

    // A viewer.
    uint32_t number = 0;
    std::string message;  // what has come of it
    Allowance messages;
    std::optional<RemoteLook> look;
    bool ready = false;           // has taken the last picture
    uint64_t sent = 0;            // that one
    std::optional<double> clock;  // wants to know ours
    uint64_t told = 0;            // the version of how things are that it knows
    Clock::time_point last_told{};
    uint64_t pictures = 0;

    void become(Kind now) {
        kind = now;
        since = Clock::now();
    }
    double seconds(Clock::time_point now) const {
        return std::chrono::duration<double>(now - since).count();
    }
};

}  // namespace saccade
