#pragma once

#include <signal.h>

namespace saccade {

// While this lives, Ctrl-C ends a job, not the program: what is being written becomes whole. So
// does SIGTERM. The second one ends the program.
class Interrupts {
public:
    Interrupts();
    ~Interrupts();
    Interrupts(const Interrupts&) = delete;
    Interrupts& operator=(const Interrupts&) = delete;

    // Whether one has come.
    static bool came();

private:
    struct sigaction before_int_, before_term_;
};

}  // namespace saccade
