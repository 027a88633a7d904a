#pragma once

#include <optional>
#include <string>

#include "app/pipeline/models_in_use.h"

namespace saccade {

// Runs `saccade inspect` or `lecture` for a picture in the background, and opens its page in a
// browser.
class PageMaker {
public:
    // The page lies beside the picture, in a folder of its name. Does nothing while another one is
    // being made.
    void start(const std::string& picture, const ModelNames& models, bool lecture);
    bool busy() const { return process_ != 0; }
    // The result, once.
    std::optional<std::string> news();

private:
    int process_ = 0;
    std::string folder_, command_, page_;
};

}  // namespace saccade
