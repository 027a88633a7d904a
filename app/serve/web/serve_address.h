#pragma once

#include <cstdint>
#include <string>

namespace saccade {

// The address that the server listens on.
struct ServeAddress {
    std::string host = "127.0.0.1";  // a numeric IP address
    uint16_t port = 0;               // 0: any free port

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

// True if `text` is a numeric IPv4 or IPv6 address.
bool is_ip_address(const std::string& text);

}  // namespace saccade
