#include "app/io/crash_line.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "app/io/text.h"

namespace saccade {

namespace {

constexpr std::string_view before_driver = "saccade: crashed, in the Vulkan driver";
constexpr std::string_view after_driver =
    " or in Saccade itself: 'saccade doctor' tries the driver alone, --device chooses another, too "
    "little memory is a frequent cause; what a batch has done is kept (--resume)\n";

// The line is complete before a crash, because a handler of signals can only write.
char crash_line[512];
size_t crash_line_length = 0;

// The handler has its own stack, because a stack overflow may be the crash.
[[maybe_unused]] alignas(16) char crash_stack[16 * 1024];

[[maybe_unused]] void on_crash(int signal) {
    [[maybe_unused]] const ssize_t told = ::write(2, crash_line, crash_line_length);
    ::raise(signal);  // the handler is reset: this ends the program
}

}  // namespace

void name_driver_in_crash_line(std::string_view driver) {
    constexpr size_t most = sizeof crash_line - before_driver.size() - after_driver.size() - 1;
    std::string line(before_driver);
    if (!driver.empty()) line += " " + one_line(driver).substr(0, most);
    line += after_driver;
    crash_line_length = 0;
    std::ranges::copy(line, crash_line);
    crash_line_length = line.size();
}

void tell_crashes() {
    name_driver_in_crash_line({});
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
