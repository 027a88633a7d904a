#pragma once

#include <cstddef>
#include <string>

#include "app/serve/web/door.h"

namespace saccade {

struct ServerOptions {
    ServeAddress address;
    std::string origin = {};  // that people see, if there is a proxy in between
    bool read_only = false;   // viewers only look
    std::string title = {};
};

// How much of anything there may be at a time.
struct ServerLimits {
    size_t connections = 256;  // in all; of those that have not asked for anything yet,
    size_t silent = 128;       // the oldest makes room for the next
    size_t viewers = 32, listeners = 32;
    double header_seconds = 5, idle_seconds = 10, answer_seconds = 20;
    double picture_seconds = 10;  // until who asks for a picture hears that there is none
    double requests_a_second = 100, messages_a_second = 120;
};

}  // namespace saccade
