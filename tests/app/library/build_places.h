#pragma once

// As tests/places.h, for tests of what is installed.

namespace saccade::places {

const char* build();   // the build folder
const char* python();  // the interpreter that the Python module is for; empty if it is not built

}  // namespace saccade::places
