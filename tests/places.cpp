#include "tests/places.h"

namespace saccade::places {

const char* const tests = SACCADE_TESTS_DIR;
const char* const program = SACCADE_PROGRAM;
const char* const lab_program = SACCADE_LAB_PROGRAM;
const char* const faults = SACCADE_FAULTS_DIR;

}  // namespace saccade::places
