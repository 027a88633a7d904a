#pragma once

#include <signal.h>

namespace saccade {

// While this object lives, Ctrl-C (SIGINT) and SIGTERM do not end the program but only set a flag,
// so that outputs can be completed. A second signal ends the program.
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

}  // namespace saccade
