#pragma once

#include <cstdint>
#include <string>
#include <string_view>

// Who may come in: what is checked of a request before anything else is done with it.

namespace saccade {

// Where to listen.
struct ServeAddress {
    std::string host = "127.0.0.1";  // an address in numbers
    uint16_t port = 0;               // 0: any that is free

    bool loopback() const;
    bool operator==(const ServeAddress&) const = default;
};
// "8080", "0.0.0.0:8080", "[::1]:8080", "localhost:8080"; an Error for anything else.
ServeAddress parse_serve_address(const std::string& text);
// "127.0.0.1:8080", "[::1]:8080"
std::string host_and_port(const std::string& host, uint16_t port);

// "https://cam.example.org[:PORT]", as --origin takes it, in lower case; an Error for anything
// else.
std::string parse_origin(const std::string& text);

// 128 random bits, as letters and digits that need no quoting anywhere.
std::string make_token();

class Door {
public:
    // `origin` is the address that people see if there is a proxy in between; else it is empty.
    // Without a token everybody is let in who reaches us.
    Door(ServeAddress address, std::string origin, std::string token);

    // Whether a request that names this host is meant for us. A page of somebody else's whose name
    // suddenly leads to this machine names its own (DNS rebinding).
    bool knows_host(std::string_view host) const;
    // Whether the page that asks is ours. No origin: no page asks.
    bool knows_origin(std::string_view origin, std::string_view host) const;
    // Takes as long whatever is wrong with it.
    bool opens_to(std::string_view token) const;

    // What to call this host in an address: its own name if it listens on all of its addresses.
    const std::string& name() const;

    bool locked() const { return !token_.empty(); }
    const std::string& token() const { return token_; }
    const ServeAddress& address() const { return address_; }
    const std::string& origin() const { return origin_; }

private:
    ServeAddress address_;
    std::string origin_, machine_, token_;
};

}  // namespace saccade
