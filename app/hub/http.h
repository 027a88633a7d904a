#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "gpu/core/error.h"

namespace saccade {

// A failure that a retry may overcome: a broken connection, a busy server.
class TransientError : public Error {
public:
    explicit TransientError(const std::string& what,
                            std::optional<std::chrono::seconds> after = std::nullopt)
        : Error(what), after_(after) {}

    // The server's Retry-After, if it sent one.
    std::optional<std::chrono::seconds> after() const { return after_; }

private:
    std::optional<std::chrono::seconds> after_;
};

struct HttpRequest {
    std::string url;
    bool head = false;                      // HEAD instead of GET
    std::vector<std::string> headers = {};  // "Name: value"
    uint64_t from = 0;                      // first byte of the Range
};

struct HttpResponse {
    long status = 0;
    std::map<std::string, std::string> headers;  // names in lower case
    std::string location;                        // target of a redirect, as an absolute URL
};

// Receives the body chunk by chunk; an exception ends the transfer.
using HttpSink =
    std::function<void(const HttpResponse& response, std::span<const std::byte> piece)>;

// A libcurl handle, which keeps its connections open and uses the environment's proxy. It follows
// no redirects: the caller decides which hosts may get the access token.
class HttpClient {
public:
    static constexpr uint64_t slowest = 1000;  // bytes per second; a slower transfer has stalled

    // A transfer that stalls for `stall_timeout` fails. `stop` ends a transfer at once.
    HttpClient(std::chrono::seconds stall_timeout, std::stop_token stop);
    ~HttpClient();
    HttpClient(const HttpClient&) = delete;
    HttpClient& operator=(const HttpClient&) = delete;

    // Returns the response, whatever its status. A TransientError if it is not complete.
    HttpResponse request(const HttpRequest& request, const HttpSink& sink);

private:
    struct Handle;
    std::unique_ptr<Handle> handle_;
};

}  // namespace saccade
