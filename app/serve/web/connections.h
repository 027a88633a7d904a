#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "app/serve/exchange.h"
#include "app/serve/web/connection.h"
#include "app/serve/web/server_options.h"

struct lws;

namespace saccade {

// Everybody who is connected, on the thread that serves them.
class Connections {
public:
    using Clock = std::chrono::steady_clock;
    using Kind = Connection::Kind;
    using All = std::map<lws*, Connection>;

    Connections(const ServerLimits& limits, Exchange& exchange)
        : limits_(limits), exchange_(exchange) {}

    Connection& of(lws* wsi);
    void forget(lws* wsi);
    // Hangs up, soon.
    static void close(lws* wsi);
    // Who connects and says nothing gives way to who connects later. False: there is no room.
    bool make_room();

    size_t count(Kind kind) const;
    size_t count() const { return all_.size(); }
    All::iterator begin() { return all_.begin(); }
    All::iterator end() { return all_.end(); }

    // The newest frame is the oldest that anybody is given, now.
    uint64_t before_newest() const;
    // Somebody has looked.
    void note_look() { last_look_ = Clock::now(); }
    // Tells who has frames what all of them want.
    void tell_demand();

    uint64_t people = 0;   // how often viewers came or went
    uint64_t refused = 0;  // connections and requests
    uint64_t sent = 0;     // pictures, to viewers

private:
    const ServerLimits limits_;
    Exchange& exchange_;
    All all_;
    std::optional<Clock::time_point> last_look_;
};

}  // namespace saccade
