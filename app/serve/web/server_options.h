#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "app/serve/web/serve_address.h"

namespace saccade {

struct ServerOptions {
    ServeAddress address = {};
    std::string origin = {};    // the public address of a proxy; empty: none
    bool read_only = false;     // viewers cannot change anything
    double stale_seconds = 10;  // /healthz is bad once the newest frame is older
    bool classroom = false;     // lectures are followed together
    std::string title = {};
    std::vector<std::string> sources = {};  // their names; none: there is one, without a name
};

struct ServerLimits {
    size_t connections = 256;
    size_t strangers = 32;         // connections without a request that was let in
    double stranger_seconds = 10;  // that such a connection lasts
    size_t viewers = 32, listeners = 32;
    size_t students = 160;  // of a class, who get places in a lecture instead of pictures
    double header_seconds = 5, idle_seconds = 10, response_seconds = 20;
    double picture_seconds = 10;       // how long a request for a frame waits for the first one
    double requests_per_second = 100;  // that are let in, of one connection
    // Without the token, of one IP address, which may be that of a proxy for many people.
    double refusals_per_second = 20, health_checks_per_second = 5;
    double messages_per_second = 120;  // of one viewer
    // A viewer that has been silent gets a ping, and is gone if it does not answer.
    double ping_seconds = 15, silence_seconds = 35;
};

}  // namespace saccade
