#include "app/io/print.h"

#include <cerrno>
#include <cstdio>
#include <string>
#include <system_error>

#include "app/io/text.h"
#include "gpu/core/error.h"

namespace saccade {

void print(std::string_view from) {
    const std::string text = for_terminal(from);
    errno = 0;
    if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0)
        return;
    const int why = errno;
    const std::string line = "the results cannot be written to standard output (" +
                             std::generic_category().message(why) + ")";
    if (why == ENOSPC || why == EDQUOT) throw TemporaryError(line + ": make room there");
    throw Error(line);
}

void print_error_line(std::string_view text) {
    std::fprintf(stderr, "saccade: %s\n", one_line(without_secrets_in(text)).c_str());
}

}  // namespace saccade
