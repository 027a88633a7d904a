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

// A failure that may be gone the next time: a connection that broke, a server that is busy.
class PassingError : public Error {
public:
    explicit PassingError(const std::string& what,
                          std::optional<std::chrono::seconds> after = std::nullopt)
        : Error(what), after_(after) {}

    // How long the server wants to be left alone.
    std::optional<std::chrono::seconds> after() const { return after_; }

private:
    std::optional<std::chrono::seconds> after_;
};

struct HttpRequest {
    std::string url;
    bool head = false;                      // headers alone
    std::vector<std::string> headers = {};  // "Name: value"
    uint64_t from = 0;                      // the first byte that is wanted
};

struct HttpAnswer {
    long status = 0;
    std::map<std::string, std::string> headers;  // names in lower case
    std::string location;                        // where a redirect leads, as a whole URL
};

// Gets the body piece by piece; what it throws ends the transfer.
using HttpSink = std::function<void(const HttpAnswer& answer, std::span<const std::byte> piece)>;

// One connection to whoever is asked, through the proxy that the environment names. It follows no
// redirect: where a secret may go is the caller's to decide.
class HttpClient {
public:
    static constexpr uint64_t slowest = 1000;  // bytes a second; below that nobody gets a model

    // A transfer that is slower for so long has failed. `stop` ends a transfer at once.
    HttpClient(std::chrono::seconds patience, std::stop_token stop);
    ~HttpClient();
    HttpClient(const HttpClient&) = delete;
    HttpClient& operator=(const HttpClient&) = delete;

    // What the server answers, whatever the status. A PassingError when there is no whole answer.
    HttpAnswer request(const HttpRequest& request, const HttpSink& sink);

private:
    struct Handle;
    std::unique_ptr<Handle> handle_;
};

}  // namespace saccade
