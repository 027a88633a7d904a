#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "app/serve/viewer_message.h"
#include "app/serve/web/connections.h"

namespace saccade {

// Talks with the pages over WebSockets: see picture_message.h and viewer_message.h.
class Viewers {
public:
    Viewers(const ServerOptions& options, Connections& connections, Exchange& exchange);

    // libwebsockets' callbacks. They return 0, or -1 to close the connection.
    int begin(lws* wsi);
    // The connection is closed. A freeze ends with the viewer who set it.
    void end(lws* wsi);
    int receive(lws* wsi, const char* in, size_t length);
    int write(lws* wsi);

    // True if there is something to send to this viewer.
    bool has_message_for(const Connection& c) const;
    bool has_state_for(const Connection& c, Connections::Clock::time_point now) const;

private:
    using Clock = Connections::Clock;

    void handle(lws* wsi, Connection& c, const ViewerMessage& message);
    void make_ready(Connection& c) const;
    bool has_picture_for(const Connection& c) const;
    std::string state_for(Connection& c) const;
    void append(std::string_view text) { send_.insert(send_.end(), text.begin(), text.end()); }
    double ms_since_start(Clock::time_point time) const {
        return std::chrono::duration<double, std::milli>(time - start_).count();
    }

    const bool read_only_;
    Connections& connections_;
    Exchange& exchange_;
    const Clock::time_point start_ = Clock::now();
    std::vector<unsigned char> send_;
    uint32_t last_viewer_ = 0;
    uint32_t frozen_by_ = 0;  // number of the viewer that froze the picture; 0: none
};

}  // namespace saccade
