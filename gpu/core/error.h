#pragma once

#include <stdexcept>
#include <string>

namespace saccade {

// The one exception type of the program. Its text is what a person reads after "saccade: ": what
// went wrong, which object, file or device, and what to do about it. One line, no full stop.
class Error : public std::runtime_error {
public:
    explicit Error(const std::string& what) : std::runtime_error(what) {}
};

// An Error that may not come again: an interrupt, or a resource that ran short. The exit code is 75
// (EX_TEMPFAIL of sysexits.h), by which schedulers know to run the command again.
class TemporaryError : public Error {
public:
    using Error::Error;
};

}  // namespace saccade
