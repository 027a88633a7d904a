#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "app/serve/exchange.h"
#include "app/serve/web/server_options.h"

namespace saccade {

// Shows frames to browsers, and answers what scripts ask: see README.md. It runs on a thread of its
// own, and listens when this is constructed; an Error says why it cannot.
class Server {
public:
    explicit Server(const ServerOptions& options, const ServerLimits& limits = {});
    ~Server();

    // To be opened in a browser; with the token, where one is needed.
    std::string address() const;
    uint16_t port() const;
    bool read_only() const;
    Exchange& exchange();

private:
    class Thread;
    std::unique_ptr<Thread> thread_;
};

}  // namespace saccade
