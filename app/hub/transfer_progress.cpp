#include "app/hub/transfer_progress.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "app/io/print.h"
#include "app/io/text.h"

namespace saccade {
namespace {

constexpr size_t bar_width = 24;

std::string duration_text(double seconds) {
    const auto whole = static_cast<uint64_t>(seconds + 0.5);
    if (whole < 60) return std::to_string(whole) + " s";
    if (whole < 3600)
        return std::to_string(whole / 60) + " min " + std::to_string(whole % 60) + " s";
    return std::to_string(whole / 3600) + " h " + std::to_string(whole / 60 % 60) + " min";
}

}  // namespace

std::string size_text(uint64_t bytes) {
    char text[32];
    const auto value = static_cast<double>(bytes);
    if (bytes < 1000)
        std::snprintf(text, sizeof text, "%.0f bytes", value);
    else if (bytes < 1'000'000)
        std::snprintf(text, sizeof text, "%.0f kB", value / 1e3);
    else if (bytes < 1'000'000'000)
        std::snprintf(text, sizeof text, bytes < 10'000'000 ? "%.1f MB" : "%.0f MB", value / 1e6);
    else
        std::snprintf(text, sizeof text, "%.2f GB", value / 1e9);
    return text;
}

TransferProgress::Style TransferProgress::style_for(bool quiet) {
    return quiet ? Style::none : ::isatty(STDERR_FILENO) ? Style::line : Style::lines;
}

TransferProgress::TransferProgress(std::string title, Style style)
    : title_(std::move(title)), style_(style) {
    if (style_ == Style::line) drawer_ = std::jthread([this](std::stop_token stop) { draw(stop); });
}

TransferProgress::~TransferProgress() {
    if (style_ != Style::line) return;
    drawer_.request_stop();
    drawer_.join();
    std::fputs("\r\033[K", stderr);
}

void TransferProgress::say(const std::string& text) {
    if (style_ == Style::lines) print_error_line(text);
}

float TransferProgress::share() const {
    const uint64_t total = total_;
    const auto done = static_cast<uint64_t>(std::max<int64_t>(done_, 0));
    return total > 0 ? static_cast<float>(double(std::min(done, total)) / double(total)) : 0;
}

std::string TransferProgress::line(double seconds) const {
    const uint64_t total = total_;
    const uint64_t done = std::min(static_cast<uint64_t>(std::max<int64_t>(done_, 0)), total);
    if (total == 0) return title_ + "  asking";
    const double share = static_cast<double>(done) / static_cast<double>(total);
    const auto filled = static_cast<size_t>(share * bar_width);
    char percent[16];
    std::snprintf(percent, sizeof percent, "%3.0f %%", 100 * share);
    std::string line = title_ + "  [" + std::string(filled, '#') +
                       std::string(bar_width - filled, '.') + "] " + percent + " of " +
                       size_text(total);
    // Bytes of an earlier download do not count for the rate.
    const double came = static_cast<double>(done_ - had_);
    if (came > 0 && seconds > 0.5) {
        const double rate = came / seconds;
        line += "  " + size_text(static_cast<uint64_t>(rate)) + "/s  " +
                duration_text(static_cast<double>(total - done) / rate) + " left";
    }
    return line;
}

void TransferProgress::draw(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
        const std::chrono::duration<double> since = std::chrono::steady_clock::now() - begin_;
        std::fprintf(stderr, "\r\033[K%s", one_line(line(since.count())).c_str());
        std::fflush(stderr);
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
}

}  // namespace saccade
