#pragma once

#include <string>

namespace saccade {

// The page that browsers show frames in, and the policy that goes with it in the answer's headers.
struct LivePage {
    std::string html, policy;
};
LivePage live_page(const std::string& title);

}  // namespace saccade
