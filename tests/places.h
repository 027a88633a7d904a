#pragma once

// Paths on this machine. Only tests/places.cpp is compiled with them, so that the tests of another
// checkout compile to the same objects.

namespace saccade::places {

const char* tests();        // this folder
const char* program();      // saccade; empty where it is not built
const char* lab_program();  // saccade-lab
const char* build();        // the build folder
const char* faults();       // folder of the fault-injecting layer

}  // namespace saccade::places
