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
    throw Error("the results cannot be written to standard output (" +
                std::generic_category().message(errno) + ")");
}

}  // namespace saccade
