#pragma once

#include <optional>
#include <string>

#include "app/pipeline/models_in_use.h"

namespace saccade {

// Has `saccade inspect` make its page of a picture, and a browser open it, while others go on.
class PageMaker {
public:
    // The page lies beside the picture, in a folder of its name. Nothing happens while one is being
    // made.
    void start(const std::string& picture, const ModelNames& models);
    bool busy() const { return process_ != 0; }
    // What has become of it, once.
    std::optional<std::string> news();

private:
    int process_ = 0;
    std::string folder_;
};

}  // namespace saccade
