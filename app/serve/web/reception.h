#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "app/serve/web/connection.h"
#include "app/serve/web/server_options.h"

struct lws;

namespace saccade {

// Asks everybody who comes where he wants to go, who sent him, and whether he has the token.
class Reception {
public:
    Reception(const ServerOptions& options, const ServerLimits& limits);

    // Why a request is refused, if it is.
    std::optional<Answer> refusal(lws* wsi, bool needs_token);
    // The same for a WebSocket; `viewers` of them are there.
    std::optional<Answer> viewer_refusal(lws* wsi, size_t viewers);
    // The way to the page for who has the token in his address: it goes into a cookie.
    std::optional<Answer> token_into_cookie(lws* wsi) const;

    // To be opened in a browser.
    std::string address() const;
    // That we listen on in the end.
    void set_port(uint16_t port) { port_ = port; }
    uint16_t port() const { return port_; }

private:
    bool rate_is_fine(lws* wsi);
    bool has_token(lws* wsi) const;
    std::string cookie_name() const { return "saccade-" + std::to_string(port_); }

    const Door door_;
    const ServerLimits limits_;
    uint16_t port_ = 0;
    std::map<std::string, Allowance> peers_;
};

}  // namespace saccade
