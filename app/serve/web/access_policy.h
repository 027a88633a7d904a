#pragma once

#include <string>
#include <string_view>

#include "app/serve/web/serve_address.h"

namespace saccade {

// 128 random bits in hexadecimal, which needs no quoting in URLs, headers or shells.
std::string make_token();

// Compares in constant time.
bool same_secret(std::string_view given, std::string_view expected);

// Which hosts, origins and tokens the server accepts.
class AccessPolicy {
public:
    // `origin` is the public address of a proxy; empty without one. An empty token admits everybody
    // who can reach the server.
    AccessPolicy(ServeAddress address, std::string origin, std::string token);

    // Checks the Host header against DNS rebinding: a foreign page whose name is rebound to this
    // machine still sends its own name.
    bool allows_host(std::string_view host) const;
    // Checks the Origin header. Requests without one do not come from a page, and are allowed.
    bool allows_origin(std::string_view origin, std::string_view host) const;
    // Compares in constant time.
    bool accepts_token(std::string_view token) const;

    // The host to print in the server's URL: the machine's name if the server listens on all
    // addresses.
    const std::string& host_name() const;

    bool needs_token() const { return !token_.empty(); }
    const std::string& token() const { return token_; }
    const std::string& origin() const { return origin_; }

private:
    ServeAddress address_;
    std::string origin_, machine_, token_;
};

}  // namespace saccade
