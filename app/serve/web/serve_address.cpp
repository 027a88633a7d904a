#include "app/serve/web/serve_address.h"

#include <arpa/inet.h>
#include <netdb.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string_view>

#include "app/io/text.h"
#include "gpu/core/error.h"

namespace saccade {

namespace {

// The numeric address of a host name; IPv4 is preferred, because every client can reach it.
std::string resolve(const std::string& name) {
    if (is_ip_address(name)) return name;
    addrinfo hints{}, *found = nullptr;
    hints.ai_socktype = SOCK_STREAM;
    if (::getaddrinfo(name.c_str(), nullptr, &hints, &found) != 0)
        throw Error("--serve: this machine knows no host '" + one_line(name) +
                    "'; write an address of this machine, or only a port");
    const addrinfo* best = found;
    for (const addrinfo* at = found; at; at = at->ai_next)
        if (at->ai_family == AF_INET) {
            best = at;
            break;
        }
    char text[NI_MAXHOST] = "";
    ::getnameinfo(best->ai_addr, best->ai_addrlen, text, sizeof text, nullptr, 0, NI_NUMERICHOST);
    ::freeaddrinfo(found);
    return text;
}

}  // namespace

bool is_ip_address(const std::string& text) {
    unsigned char bytes[16];
    return ::inet_pton(AF_INET, text.c_str(), bytes) == 1 ||
           ::inet_pton(AF_INET6, text.c_str(), bytes) == 1;
}

bool ServeAddress::loopback() const { return host.starts_with("127.") || host == "::1"; }

ServeAddress parse_serve_address(const std::string& text) {
    const auto refuse = [&]() -> Error {
        return Error("--serve takes [HOST:]PORT, like 8080 or 0.0.0.0:8080, not '" +
                     one_line(text) + "'");
    };
    const size_t colon = text.rfind(':');
    const std::string port = colon == text.npos ? text : text.substr(colon + 1);
    ServeAddress address;
    const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), address.port);
    if (port.empty() || error != std::errc() || end != port.data() + port.size()) throw refuse();
    if (colon == text.npos) return address;
    std::string host = text.substr(0, colon);
    if (host.starts_with('[') && host.ends_with(']'))
        host = host.substr(1, host.size() - 2);
    else if (host.find(':') != host.npos)
        throw refuse();
    if (host.empty()) throw refuse();
    address.host = resolve(host == "localhost" ? "127.0.0.1" : host);
    return address;
}

std::string host_and_port(const std::string& host, uint16_t port) {
    const bool ipv6 = host.find(':') != host.npos;
    return (ipv6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

std::string parse_origin(const std::string& text) {
    std::string origin = in_lower_case(text);
    if (origin.ends_with('/')) origin.pop_back();
    const size_t from = origin.starts_with("https://") ? 8 : origin.starts_with("http://") ? 7 : 0;
    const bool plain = std::ranges::all_of(origin.substr(from), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || std::strchr(".-:[]", c);
    });
    if (from == 0 || origin.size() == from || !plain)
        throw Error(
            "--origin is the address of the proxy in front of saccade, like "
            "https://cam.example.org, not '" +
            one_line(text) + "'");
    return origin;
}

}  // namespace saccade
