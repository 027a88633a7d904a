#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>

namespace saccade {

// "346 MB", "1.2 GB"
std::string size_text(uint64_t bytes);

// The progress of a download on stderr: a line that is redrawn on a terminal, plain lines
// elsewhere, nothing with --quiet.
class TransferProgress {
public:
    enum class Style { line, lines, none };
    // Depends on whether stderr is a terminal.
    static Style style_for(bool quiet);

    TransferProgress(std::string title, Style style);
    ~TransferProgress();  // wipes the line
    TransferProgress(const TransferProgress&) = delete;
    TransferProgress& operator=(const TransferProgress&) = delete;

    // All of these may be called from any thread.
    void expect(uint64_t bytes) { total_ += bytes; }
    void had(uint64_t bytes) { had_ += static_cast<int64_t>(bytes); }  // of an earlier download
    void advance(int64_t bytes) { done_ += bytes; }
    void say(const std::string& text);  // a plain line; on a terminal it is not shown

    float share() const;  // of the bytes that are here, 0 to 1
    // The terminal's line, `seconds` after the start.
    std::string line(double seconds) const;

private:
    void draw(const std::stop_token& stop);

    std::string title_;
    Style style_;
    std::atomic<uint64_t> total_{0};
    std::atomic<int64_t> done_{0}, had_{0};
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
    std::jthread drawer_;  // last, because it uses the other members
};

}  // namespace saccade
