#pragma once

#include <filesystem>
#include <string>

namespace saccade {

// A file of lines. Each line is written together with its newline by one call, so that a run that
// is killed leaves complete lines.
class LineFile {
public:
    // Truncates the file, or appends to it.
    explicit LineFile(std::filesystem::path path, bool append = false);
    ~LineFile();
    LineFile(const LineFile&) = delete;
    LineFile& operator=(const LineFile&) = delete;

    // An Error if the line cannot be written; then no part of it is left in the file.
    void add(std::string line);
    // Returns when the lines are on disk (fsync).
    void sync();
    const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
    int file_ = -1;
};

}  // namespace saccade
