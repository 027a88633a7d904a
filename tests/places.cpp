#include "tests/places.h"

#include <cstdlib>
#include <string>

#include "tests/app/library/build_places.h"

namespace saccade::places {

namespace {

// On a machine with only the built files, SACCADE_PLACES is their folder.
std::string place(const char* here, const char* there) {
    const char* const folder = std::getenv("SACCADE_PLACES");
    return folder ? std::string(folder) + there : here;
}

}  // namespace

const char* tests() {
    static const std::string at = place(SACCADE_TESTS_DIR, "/tests");
    return at.c_str();
}
const char* program() {
    static const std::string at = place(SACCADE_PROGRAM, "/bin/saccade");
    return at.c_str();
}
const char* lab_program() {
    static const std::string at = place(SACCADE_LAB_PROGRAM, "/bin/saccade-lab");
    return at.c_str();
}
const char* build() {
    static const std::string at = place(SACCADE_BUILD_DIR, "/build");
    return at.c_str();
}
const char* python() {
    static const std::string at = place(SACCADE_PYTHON_PROGRAM, "/bin/python3");
    return at.c_str();
}
const char* faults() {
    static const std::string at = place(SACCADE_FAULTS_DIR, "/faults");
    return at.c_str();
}

}  // namespace saccade::places
