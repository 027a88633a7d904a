#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "app/serve/exchange.h"
#include "app/serve/web/server_options.h"

namespace saccade {

// Serves frames to browsers and scripts: see README.md. It runs on its own thread. The constructor
// returns when the socket listens, and throws an Error if that fails.
class Server {
public:
    explicit Server(const ServerOptions& options, const ServerLimits& limits = {});
    ~Server();

    // The URL to open in a browser, with the token if one is needed.
    std::string address() const;
    // Those of the classroom: for everybody, and for who teaches. Empty without one.
    std::string class_address() const;
    std::string teacher_address() const;
    uint16_t port() const;
    bool read_only() const;
    Exchange& exchange(size_t source = 0);

private:
    class EventLoop;
    std::unique_ptr<EventLoop> loop_;
};

}  // namespace saccade
