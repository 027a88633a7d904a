#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "app/serve/viewer_message.h"
#include "app/serve/web/classroom.h"
#include "app/serve/web/connections.h"

namespace saccade {

// Talks with the pages over WebSockets: see picture_message.h and viewer_message.h.
class Viewers {
public:
    using Clock = Connections::Clock;

    Viewers(const ServerOptions& options, const ServerLimits& limits, Connections& connections,
            Classroom& classroom);

    // libwebsockets' callbacks. They return 0, or -1 to close the connection.
    // The socket is from now on that of a viewer of this source, once it has got the greeting.
    int begin(lws* wsi, std::string greeting, size_t source);
    // The connection is closed. A freeze ends with the viewer who set it.
    void end(lws* wsi);
    int receive(lws* wsi, std::string_view bytes);
    int write(lws* wsi);
    // Pings a viewer that has been silent, and closes the connection of one that does not answer.
    void keep_alive(lws* wsi, Connection& c, Clock::time_point now);

    // True if there is something to send to this viewer.
    bool has_message_for(const Connection& c) const;
    bool has_state_for(const Connection& c, Connections::Clock::time_point now) const;

private:
    void handle(lws* wsi, Connection& c, SocketFrame frame);
    void handle(lws* wsi, Connection& c, const ViewerMessage& message);
    void say_goodbye(lws* wsi, Connection& c, std::string payload);
    // Sends what has been appended to the buffer as one frame.
    void begin_message();
    int send(lws* wsi, Opcode opcode);
    int write_message(lws* wsi, Connection& c);
    bool may_wish(const Connection& c, const SharedWish& wish) const;
    void make_ready(Connection& c) const;
    bool has_picture_for(const Connection& c) const;
    uint64_t state_version_of(const Connection& c) const;
    std::string state_for(Connection& c) const;
    void append(std::string_view text) { send_.insert(send_.end(), text.begin(), text.end()); }
    double ms_since_start(Clock::time_point time) const {
        return std::chrono::duration<double, std::milli>(time - start_).count();
    }

    const bool read_only_;
    const ServerLimits limits_;
    Connections& connections_;
    Classroom& classroom_;
    const Clock::time_point start_ = Clock::now();
    std::vector<unsigned char> send_;
    uint32_t last_viewer_ = 0;
    // The number of the viewer that froze each source's picture; none: nobody did.
    std::map<size_t, uint32_t> frozen_by_;
};

}  // namespace saccade
