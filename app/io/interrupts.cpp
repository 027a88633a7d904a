#include "app/io/interrupts.h"

#include <unistd.h>

#include <string_view>

namespace saccade {

namespace {

volatile sig_atomic_t interrupted = 0;

// The functions below run in signal handlers and call only what these may call.

[[noreturn]] void exit_again(std::string_view line) {
    [[maybe_unused]] ssize_t told = 0;
    if (::isatty(STDERR_FILENO)) told = ::write(STDERR_FILENO, "\n", 1);  // after "^C"
    told = ::write(STDERR_FILENO, line.data(), line.size());
    ::_exit(exit_code_again);
}

void handle(int signal, void (*handler)(int), struct sigaction* before = nullptr) {
    struct sigaction action {};
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    ::sigaction(signal, &action, before);
}

void exit_at_once(int) { exit_again("saccade: interrupted; run it again\n"); }

void drop_the_rest(int) {
    exit_again(
        "saccade: interrupted, and what was at hand took too long: run it again, batch with "
        "--resume\n");
}

void ask_to_end(int signal) {
    if (interrupted == 0) {
        interrupted = 1;
        handle(SIGALRM, drop_the_rest);
        ::alarm(interrupt_seconds);
    } else if (signal == SIGINT) {
        exit_again("saccade: interrupted twice: run it again, batch with --resume\n");
    }
}

}  // namespace

void exit_when_terminated() { handle(SIGTERM, exit_at_once); }

Interrupts::Interrupts() {
    interrupted = 0;
    handle(SIGINT, ask_to_end, &before_int_);
    handle(SIGTERM, ask_to_end, &before_term_);
}

Interrupts::~Interrupts() {
    ::sigaction(SIGINT, &before_int_, nullptr);
    // The outputs are complete. A further SIGTERM must not turn that into an exit without success.
    if (interrupted == 0) ::sigaction(SIGTERM, &before_term_, nullptr);
    ::alarm(0);
}

bool Interrupts::came() { return interrupted != 0; }

}  // namespace saccade
