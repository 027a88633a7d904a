#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "app/serve/web/access_policy.h"
#include "app/serve/web/connection.h"
#include "app/serve/web/server_options.h"

struct lws;

namespace saccade {

// Checks every request before it is handled: its form, Host, Origin, token, and rate.
class AccessControl {
public:
    AccessControl(const ServerOptions& options, const ServerLimits& limits);

    // Which requests need no token.
    enum class Access { with_token, everybody };
    // The error response of a request that is refused; none if it is let in.
    std::optional<Response> refusal(lws* wsi, Connection& c, Access access);
    // The same for a WebSocket; `full`: as many of its kind are open as may be.
    std::optional<Response> viewer_refusal(lws* wsi, Connection& c, bool full);
    // The response that begins a WebSocket.
    static std::string greeting(lws* wsi);
    // A redirect that moves the token from the URL into a cookie; none if the URL has no token.
    std::optional<Response> token_redirect(lws* wsi) const;

    // The URL to open in a browser, with the token if one is needed.
    std::string url(const std::string& path = "/") const;
    // The port is known once the socket listens.
    void set_port(uint16_t port) { port_ = port; }
    uint16_t port() const { return port_; }

private:
    // Rate limits by the peer's IP address.
    class PeerLimits {
    public:
        explicit PeerLimits(double per_second) : per_second_(per_second) {}
        bool take(lws* wsi);

    private:
        const double per_second_;
        std::map<std::string, TokenBucket> limits_;
    };

    std::optional<Response> fault(lws* wsi) const;
    bool has_token(lws* wsi) const;
    std::string cookie_name() const { return "saccade-" + std::to_string(port_); }

    const AccessPolicy policy_;
    const ServerLimits limits_;
    uint16_t port_ = 0;
    // Of requests without the token. Those with it have a limit for each connection, so that others
    // behind the same proxy cannot use it up.
    PeerLimits refusals_, health_checks_;
};

}  // namespace saccade
