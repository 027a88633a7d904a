#pragma once

#include <string>

namespace saccade {

// The page of --serve, and its content security policy for the response's header.
struct LivePage {
    std::string html, policy;
};
LivePage live_page(const std::string& title);

}  // namespace saccade
