#pragma once

#include <cstddef>
#include <string>

#include "app/serve/web/serve_address.h"

namespace saccade {

struct ServerOptions {
    ServeAddress address;
    std::string origin = {};  // the public address of a proxy; empty: none
    bool read_only = false;   // viewers cannot change anything
    std::string title = {};
};

struct ServerLimits {
    size_t connections = 256;
    size_t inactive = 128;  // connections without a request in progress
    size_t viewers = 32, listeners = 32;
    double header_seconds = 5, idle_seconds = 10, response_seconds = 20;
    double picture_seconds = 10;       // how long a request for a frame waits for the first one
    double requests_per_second = 100;  // of one IP address
    double messages_per_second = 120;  // of one viewer
};

}  // namespace saccade
