#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/serve/page/live_page.h"
#include "app/serve/web/access_control.h"
#include "app/serve/web/connections.h"

namespace saccade {

// Handles HTTP requests: the page, and the addresses for scripts.
class HttpHandler {
public:
    HttpHandler(const ServerOptions& options, const ServerLimits& limits, AccessControl& access,
                Connections& connections, Exchanges& exchanges);

    // libwebsockets' callbacks. They return 0, or -1 to close the connection.
    int begin(lws* wsi, const std::string& path);
    int write(lws* wsi);

    // Responds to a connection that waits for a frame, once there is a newer one or it has waited
    // too long. Returns false if it goes on waiting.
    bool respond_with_frame(lws* wsi, Connection& c);
    // Queues events for a listener. A listener that does not keep up loses the oldest.
    static void add_events(lws* wsi, Connection& c, const std::vector<std::string>& events);
    // Sends a comment to a listener that has had no event for long, and closes the connection if it
    // does not read even that.
    void keep_alive(lws* wsi, Connection& c, double seconds) const;
    // The source that a request names, by its number: the first one if it names none.
    std::optional<size_t> source_of(lws* wsi) const;
    // A WebSocket that is asked for belongs to the class.
    bool joins_class(lws* wsi) const;

private:
    void route(lws* wsi, Connection& c, const std::string& path);
    void listen(lws* wsi, Connection& c);
    std::string briefs() const;
    int write_headers(lws* wsi, const Connection& c) const;
    int write_event(lws* wsi, Connection& c);
    int write_piece(lws* wsi, Connection& c);
    int end_response(lws* wsi, Connection& c);
    Response health() const;
    Response lecture(const Connection& c) const;
    std::string metrics() const;

    const ServerLimits limits_;
    const double stale_seconds_;
    const std::vector<std::string> sources_;  // their names; none: there is one without a name
    const bool classroom_;
    const LivePage page_, wall_page_, class_page_;
    AccessControl& access_;
    Connections& connections_;
    Exchanges& exchanges_;
    std::vector<unsigned char> send_;
};

}  // namespace saccade
