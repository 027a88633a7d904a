#include "app/io/interrupts.h"

namespace saccade {

namespace {

volatile sig_atomic_t interrupted = 0;

}  // namespace

Interrupts::Interrupts() {
    interrupted = 0;
    struct sigaction action {};
    action.sa_handler = [](int) { interrupted = 1; };
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    ::sigaction(SIGINT, &action, &before_int_);
    ::sigaction(SIGTERM, &action, &before_term_);
}

Interrupts::~Interrupts() {
    ::sigaction(SIGINT, &before_int_, nullptr);
    ::sigaction(SIGTERM, &before_term_, nullptr);
}

bool Interrupts::came() { return interrupted != 0; }

}  // namespace saccade
