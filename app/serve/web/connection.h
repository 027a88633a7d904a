#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "app/live/state/wishes.h"
#include "app/serve/viewer_message.h"
#include "app/serve/web/server_options.h"
#include "app/serve/web/token_bucket.h"
#include "app/serve/web/web_socket.h"

namespace saccade {

// An HTTP response before it is written.
struct Response {
    unsigned status = 200;
    std::string type = "text/plain; charset=utf-8";
    std::string body = {};
    std::string header = {}, header_value = {};     // one further header; empty: none
    bool close = false;                             // the connection, after it
    std::string policy = {};                        // the content security policy of a page
    std::string location = "/";                     // of a redirect
    std::shared_ptr<const std::string> large = {};  // a body that many share; it goes in pieces
    size_t sent = 0;                                // of that

    size_t size() const { return large ? large->size() : body.size(); }
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

    explicit Connection(const ServerLimits& limits)
        : request_limit(limits.requests_per_second), message_limit(limits.messages_per_second) {}

    Kind kind = Kind::connected;
    Clock::time_point since = Clock::now();  // of the kind
    const Clock::time_point opened = since;
    bool let_in = false;   // one of its requests was let in, with the token if one is needed
    bool closing = false;  // asynchronously
    TokenBucket request_limit;

    // HTTP.
    Response response;
    bool head = false;  // a HEAD request: headers only
    bool headers_sent = false;
    bool wants_line = false;   // /frame.json; else /frame.jpg
    bool wants_small = false;  // a small picture
    size_t source = 0;         // of the request, by its number
    bool all_sources = false;  // a listener to all of them
    std::deque<std::string> events;

    uint64_t after = 0;  // only frames with a larger number are new to this client

    // A viewer.
    uint32_t number = 0;
    SocketReader reader{longest_message};
    std::string message;                       // the fragments received so far
    TokenBucket message_limit;                 // counts frames
    std::string greeting;                      // the response to the request, not sent yet
    std::optional<std::string> pong, goodbye;  // payloads to be sent
    enum class Leaving { no, soon, now } leaving = Leaving::no;  // after a goodbye
    Clock::time_point heard = since;                             // when it sent something last
    bool pinged = false, ping_due = false;                       // since it was heard
    bool in_class = false;  // follows a lecture, and gets no pictures
    bool teaches = false;   // it has given the teacher's key
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
    double seconds(Clock::time_point now) const { return seconds(since, now); }
    static double seconds(Clock::time_point from, Clock::time_point to) {
        return std::chrono::duration<double>(to - from).count();
    }
};

}  // namespace saccade
