#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "app/serve/exchange.h"
#include "app/serve/web/connection.h"
#include "app/serve/web/server_options.h"

struct lws;

namespace saccade {

// One for each source.
using Exchanges = std::vector<std::unique_ptr<Exchange>>;

// All open connections. Only the server's thread uses them.
class Connections {
public:
    using Clock = std::chrono::steady_clock;
    using Kind = Connection::Kind;
    using All = std::map<lws*, Connection>;

    Connections(const ServerLimits& limits, Exchanges& exchanges)
        : limits_(limits), exchanges_(exchanges), looks_(exchanges.size()) {}

    Connection& of(lws* wsi);
    void remove(lws* wsi);
    // Closes the socket asynchronously.
    static void close(lws* wsi, Connection& c);
    // Makes room for a new connection: at a limit, the oldest stranger is closed, or the oldest
    // that has no request in progress. Returns false if there is still no room.
    bool make_room();

    size_t count(Kind kind) const;
    size_t count_students() const;  // viewers in the class, the teacher among them
    size_t count_open() const;      // without those that are being closed
    All::iterator begin() { return all_.begin(); }
    All::iterator end() { return all_.end(); }

    // The exchange of the source that a client looks at.
    Exchange& exchange_of(const Connection& c) const { return *exchanges_.at(c.source); }
    // The number before the newest frame's: a client that starts now gets the newest or later.
    uint64_t before_newest(const Connection& c) const;
    // A client has asked for a frame, so pictures are read back for a while.
    void note_look(const Connection& c) { looks_.at(c.source) = Clock::now(); }
    // Passes the demands of all clients on to the frames' producer.
    void update_demand();

    uint64_t viewer_changes = 0;  // how often a viewer connected or disconnected
    uint64_t refused = 0;         // connections and requests
    uint64_t pictures_sent = 0;   // to viewers

private:
    // The time that decides which connection is the oldest; none for those that stay.
    using Since = std::optional<Clock::time_point> (*)(const Connection& c);
    void close_oldest(Since since);

    const ServerLimits limits_;
    Exchanges& exchanges_;
    All all_;
    std::vector<std::optional<Clock::time_point>> looks_;  // the last one at each source
};

}  // namespace saccade
