#include "tests/places.h"

#include <cstdlib>
#include <string>

namespace saccade::places {

namespace {

// On a machine that was given the built files only, SACCADE_PLACES is the folder that they lie in.
const char* place(const char* here, const char* there) {
    const char* const folder = std::getenv("SACCADE_PLACES");
    return folder ? (new std::string(std::string(folder) + there))->c_str() : here;
}

}  // namespace

const char* const tests = place(SACCADE_TESTS_DIR, "/tests");
const char* const program = place(SACCADE_PROGRAM, "/bin/saccade");
const char* const lab_program = place(SACCADE_LAB_PROGRAM, "/bin/saccade-lab");
const char* const faults = place(SACCADE_FAULTS_DIR, "/faults");

}  // namespace saccade::places
