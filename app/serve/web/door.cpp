#include "app/serve/web/door.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <openssl/crypto.h>
#include <openssl/rand.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

#include "app/io/digest.h"
#include "app/io/text.h"
#include "gpu/core/error.h"

namespace saccade {

namespace {

bool is_address(const std::string& text) {
    unsigned char bytes[16];
    return ::inet_pton(AF_INET, text.c_str(), bytes) == 1 ||
           ::inet_pton(AF_INET6, text.c_str(), bytes) == 1;
}

// A name's address in numbers; the older form first, which everything can reach.
std::string address_of(const std::string& name) {
    if (is_address(name)) return name;
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

// The name in "name:port" or "[address]:port", without brackets.
std::string host_of(std::string_view text) {
    if (text.starts_with('[')) return in_lower_case(text.substr(1, text.find(']') - 1));
    return in_lower_case(text.substr(0, text.find(':')));
}

std::string this_machine() {
    char name[256] = "";
    if (::gethostname(name, sizeof name - 1) != 0) return "";
    return in_lower_case(name);
}

}  // namespace

bool ServeAddress::loopback() const { return host.starts_with("127.") || host == "::1"; }

ServeAddress parse_serve_address(const std::string& text) {
    const auto refuse = [&]() -> Error {
        return Error("--serve takes [HOST:]PORT, like 8080 or 0.0.0.0:8080, not '" + one_line(text) +
                     "'");
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
    address.host = address_of(host == "localhost" ? "127.0.0.1" : host);
    return address;
}

std::string host_and_port(const std::string& host, uint16_t port) {
    const bool six = host.find(':') != host.npos;
    return (six ? "[" + host + "]" : host) + ":" + std::to_string(port);
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
            "--origin is the address that a proxy is reached by, like "
            "https://cam.example.org, not '" +
            one_line(text) + "'");
    return origin;
}

std::string make_token() {
    std::array<std::byte, 16> bytes{};
    if (::RAND_bytes(reinterpret_cast<unsigned char*>(bytes.data()), int(bytes.size())) != 1)
        throw Error("this machine has no random numbers for a token");
    return hex(bytes);
}

Door::Door(ServeAddress address, std::string origin, std::string token)
    : address_(std::move(address)),
      origin_(std::move(origin)),
      machine_(this_machine()),
      token_(std::move(token)) {}

const std::string& Door::name() const {
    const bool all = address_.host == "0.0.0.0" || address_.host == "::";
    return all && !machine_.empty() ? machine_ : address_.host;
}

bool Door::knows_host(std::string_view host) const {
    const std::string name = host_of(host);
    if (name.empty()) return false;
    if (name == "localhost" || name == address_.host) return true;
    if (!origin_.empty() && name == host_of(origin_.substr(origin_.find("//") + 2))) return true;
    if (address_.loopback()) return name.starts_with("127.") ? is_address(name) : name == "::1";
    // An address in numbers is no name that could lead elsewhere tomorrow.
    return is_address(name) || name == machine_ || name == machine_ + ".local";
}

bool Door::knows_origin(std::string_view origin, std::string_view host) const {
    if (origin.empty()) return true;
    const std::string from = in_lower_case(origin), to = in_lower_case(host);
    return (!origin_.empty() && from == origin_) || from == "http://" + to;
}

bool Door::opens_to(std::string_view token) const {
    if (!locked()) return true;
    // Their checksums have the same length, whatever somebody has sent.
    auto sum = [](std::string_view text) {
        Digest digest = Digest::sha256();
        digest.update(text);
        return digest.finish();
    };
    const std::vector<std::byte> given = sum(token), right = sum(token_);
    return ::CRYPTO_memcmp(given.data(), right.data(), right.size()) == 0;
}

}  // namespace saccade
