#include "app/io/progress.h"

#include <unistd.h>

#include <cmath>
#include <cstdio>

#include "app/io/print.h"
#include "app/io/text.h"

namespace saccade {

namespace {

constexpr std::chrono::milliseconds between_bars{100};
constexpr std::chrono::seconds between_lines{10};

std::string left(double seconds) {
    const auto s = static_cast<unsigned long long>(std::ceil(seconds));
    char text[48];
    if (s < 60)
        std::snprintf(text, sizeof text, "%llu s left", s);
    else if (s < 3600)
        std::snprintf(text, sizeof text, "%llu:%02llu min left", s / 60, s % 60);
    else
        std::snprintf(text, sizeof text, "%llu:%02llu h left", s / 3600, s / 60 % 60);
    return text;
}

}  // namespace

Progress::Progress(std::string what, uint64_t total, bool quiet, std::string unit)
    : what_(std::move(what)),
      unit_(std::move(unit)),
      total_(total),
      shown_(!quiet),
      terminal_(isatty(STDERR_FILENO) == 1),
      start_(Clock::now()),
      last_(start_) {}

void Progress::step() { step_to(done_ + 1); }

void Progress::show_early() { last_ -= between_lines - std::chrono::seconds(1); }

void Progress::step_to(uint64_t done) {
    done_ = done;
    const auto now = Clock::now();
    if (!shown_ || now - last_ < (terminal_ ? Clock::duration(between_bars) : between_lines))
        return;
    last_ = now;
    show();
}

void Progress::end() {
    if (open_) std::fputs("\r\033[K", stderr);
    open_ = false;
}

std::string Progress::text() const {
    const double took = std::chrono::duration<double>(Clock::now() - start_).count();
    const double rate = took > 0 ? double(done_) / took : 0;
    std::string text = std::to_string(done_);
    if (total_ > 0) text += " of " + std::to_string(total_);
    char number[32];
    std::snprintf(number, sizeof number, ", %.1f ", rate);
    text += number + unit_;
    if (total_ > done_ && rate > 0) text += ", " + left(double(total_ - done_) / rate);
    return text;
}

void Progress::show() {
    if (!terminal_) {
        print_error_line(what_ + ": " + text());
        return;
    }
    std::string bar;
    if (total_ > 0) {
        constexpr uint64_t cells = 24;
        const uint64_t full = std::min(done_, total_) * cells / total_;
        bar = " [" + std::string(full, '#') + std::string(cells - full, '.') + "]";
    }
    std::fprintf(stderr, "\r\033[K%s%s %s", one_line(what_).c_str(), bar.c_str(), text().c_str());
    std::fflush(stderr);
    open_ = true;
}

}  // namespace saccade
