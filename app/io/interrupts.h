#pragma once

#include <signal.h>

namespace saccade {

// The exit code that tells schedulers to run the same command again: EX_TEMPFAIL of sysexits.h.
constexpr int exit_code_again = 75;

// From now on SIGTERM ends the program at once, with a line and exit_code_again. Ctrl-C (SIGINT)
// still ends it by the signal, as shells expect of a command in a loop.
void exit_when_terminated();

// While this object lives, the first SIGINT or SIGTERM only sets a flag, so that outputs can be
// completed. What is not complete `interrupt_seconds` later is dropped: the program exits with
// exit_code_again, and so it does at a second Ctrl-C. A second SIGTERM changes nothing, because
// schedulers send several.
class Interrupts {
public:
    Interrupts();
    ~Interrupts();
    Interrupts(const Interrupts&) = delete;
    Interrupts& operator=(const Interrupts&) = delete;

    // Whether a signal has come.
    static bool came();

private:
    struct sigaction before_int_, before_term_;
};

constexpr unsigned interrupt_seconds = 8;

}  // namespace saccade
