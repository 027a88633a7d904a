#pragma once

#include <optional>
#include <string>

#include "app/live/state/status.h"
#include "app/live/state/wishes.h"
#include "app/pipeline/models_in_use.h"

namespace saccade {

// The models that are in use, and their prompts, for a page about the frame that is shown.
ModelNames models_for_page(const Status& status, const Wishes& wishes);

// Runs `saccade inspect` or `lecture` for a picture in the background.
class PageMaker {
public:
    enum class Opens { in_browser, nowhere };  // what becomes of the page

    explicit PageMaker(Opens opens = Opens::in_browser) : opens_(opens) {}
    ~PageMaker();
    PageMaker(const PageMaker&) = delete;
    PageMaker& operator=(const PageMaker&) = delete;

    // The program that makes the page; empty: this one.
    void use_program(std::string path) { program_ = std::move(path); }
    // The page lies beside the picture, in a folder of its name. Does nothing while another one is
    // being made.
    void start(const std::string& picture, const ModelNames& models, bool lecture);
    bool busy() const { return process_ != 0; }
    // The result, once: a page, or why there is none.
    struct Made {
        std::string page, error;
    };
    std::optional<Made> made();
    // The same as a line for a person.
    std::optional<std::string> news();

private:
    std::string last_error() const;

    const Opens opens_;
    int process_ = 0;
    std::string program_, folder_, command_, page_;
};

}  // namespace saccade
