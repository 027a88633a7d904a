#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "app/live/state/wishes.h"
#include "app/serve/web/token_bucket.h"

namespace saccade {

// An HTTP response before it is written.
struct Response {
    unsigned status = 200;
    std::string type = "text/plain; charset=utf-8";
    std::string body = {};
    std::string header = {}, header_value = {};  // one further header; empty: none
};

// The state of one client's connection.
struct Connection {
    using Clock = std::chrono::steady_clock;
    enum class Kind {
        connected,   // has sent no request yet
        responding,  // its response is being written
        waiting,     // for a frame's picture or line
        idle,        // kept alive after a response
        listener,    // receives /events
        viewer,      // a page's WebSocket
    };

    explicit Connection(double messages_per_second) : message_limit(messages_per_second) {}

    Kind kind = Kind::connected;
    Clock::time_point since = Clock::now();  // of the kind

    // HTTP.
    Response response;
    bool head = false;  // a HEAD request: headers only
    bool headers_sent = false;
    bool wants_line = false;  // /frame.json; else /frame.jpg
    std::deque<std::string> events;

    uint64_t after = 0;  // only frames with a larger number are new to this client

    // A viewer.
    uint32_t number = 0;
    std::string message;  // the fragments received so far
    TokenBucket message_limit;
    std::optional<RemoteLook> look;
    bool ready = false;           // has shown the last picture
    uint64_t sent = 0;            // the number of that picture
    std::optional<double> clock;  // the page's time, to be sent back with the server's
    uint64_t state_version = 0;   // of the state that the page has
    Clock::time_point last_state{};

    void become(Kind now) {
        kind = now;
        since = Clock::now();
    }
    double seconds(Clock::time_point now) const {
        return std::chrono::duration<double>(now - since).count();
    }
};

}  // namespace saccade
