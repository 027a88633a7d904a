#pragma once

#include <filesystem>
#include <string>
#include <utility>

#include "app/io/text.h"

namespace saccade {

// A source as a user has named it. The URL of a camera may hold a password, so logs, errors, pages,
// messages and files have its text(). Only code that opens, finds or remembers a source uses
// unmasked(); a test lists that code. The path of a file is no URL and stays as it is.
class SourceName {
public:
    SourceName() = default;
    SourceName(std::string name) : name_(std::move(name)) {}
    SourceName(const char* name) : name_(name) {}
    SourceName(const std::filesystem::path& file) : name_(file.native()), is_file_(true) {}

    std::string text() const { return is_file_ ? name_ : without_secrets(name_); }
    const std::string& unmasked() const { return name_; }

    bool empty() const { return name_.empty(); }
    bool operator==(const SourceName& other) const { return name_ == other.name_; }

private:
    std::string name_;
    bool is_file_ = false;
};

}  // namespace saccade
