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

// Checks every request before it is handled: rate limit, Host, Origin, token.
class AccessControl {
public:
    AccessControl(const ServerOptions& options, const ServerLimits& limits);

    // The error response of a request that is refused; none if it is allowed.
    std::optional<Response> refusal(lws* wsi, bool needs_token);
    // The same for a WebSocket while `viewers` of them are open.
    std::optional<Response> viewer_refusal(lws* wsi, size_t viewers);
    // A redirect that moves the token from the URL into a cookie; none if the URL has no token.
    std::optional<Response> token_redirect(lws* wsi) const;

    // The URL to open in a browser, with the token if one is needed.
    std::string url() const;
    // The port is known once the socket listens.
    void set_port(uint16_t port) { port_ = port; }
    uint16_t port() const { return port_; }

private:
    bool within_rate_limit(lws* wsi);
    bool has_token(lws* wsi) const;
    std::string cookie_name() const { return "saccade-" + std::to_string(port_); }

    const AccessPolicy policy_;
    const ServerLimits limits_;
    uint16_t port_ = 0;
    std::map<std::string, TokenBucket> rate_limits_;  // by the peer's IP address
};

}  // namespace saccade
