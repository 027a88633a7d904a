#include "app/io/crash_line.h"

#include <signal.h>
#include <unistd.h>

#include <string_view>

namespace saccade {

namespace {

constexpr std::string_view crash_line =
    "saccade: crashed, in the Vulkan driver or in Saccade itself: too little memory is a frequent "
    "cause, --device chooses another driver; what a batch has done is kept (--resume)\n";

// The handler has its own stack, because a stack overflow may be the crash.
[[maybe_unused]] alignas(16) char crash_stack[16 * 1024];

[[maybe_unused]] void on_crash(int signal) {
    [[maybe_unused]] const ssize_t told = ::write(2, crash_line.data(), crash_line.size());
    ::raise(signal);  // the handler is reset: this ends the program
}

}  // namespace

void tell_crashes() {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // sanitizers report more
    const stack_t stack{.ss_sp = crash_stack, .ss_flags = 0, .ss_size = sizeof crash_stack};
    ::sigaltstack(&stack, nullptr);
    struct sigaction action {};
    action.sa_handler = on_crash;
    action.sa_flags = static_cast<int>(SA_RESETHAND | SA_NODEFER | SA_ONSTACK);
    for (const int signal : {SIGSEGV, SIGABRT, SIGFPE, SIGILL})
        ::sigaction(signal, &action, nullptr);
#endif
}

}  // namespace saccade
