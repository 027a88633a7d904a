#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "app/serve/exchange.h"
#include "app/serve/web/connection.h"
#include "app/serve/web/server_options.h"

struct lws;

namespace saccade {

// All open connections. Only the server's thread uses them.
class Connections {
public:
    using Clock = std::chrono::steady_clock;
    using Kind = Connection::Kind;
    using All = std::map<lws*, Connection>;

    Connections(const ServerLimits& limits, Exchange& exchange)
        : limits_(limits), exchange_(exchange) {}

    Connection& of(lws* wsi);
    void remove(lws* wsi);
    // Closes the socket asynchronously.
    static void close(lws* wsi);
    // Makes room for a new connection: at the limit, the oldest that has no request in progress is
    // closed. Returns false if there is still no room.
    bool make_room();

    size_t count(Kind kind) const;
    size_t count() const { return all_.size(); }
    All::iterator begin() { return all_.begin(); }
    All::iterator end() { return all_.end(); }

    // The number before the newest frame's: a client that starts now gets the newest or later.
    uint64_t before_newest() const;
    // A client has asked for a frame, so pictures are read back for a while.
    void note_look() { last_look_ = Clock::now(); }
    // Tells the frames' producer what all clients together want.
    void update_demand();

    uint64_t viewer_changes = 0;  // how often a viewer connected or disconnected
    uint64_t refused = 0;         // connections and requests
    uint64_t pictures_sent = 0;   // to viewers

private:
    const ServerLimits limits_;
    Exchange& exchange_;
    All all_;
    std::optional<Clock::time_point> last_look_;
};

}  // namespace saccade
