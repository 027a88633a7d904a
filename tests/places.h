#pragma once

// Where things lie on this machine. Only tests/places.cpp is compiled with these paths, so that the
// tests of another checkout compile to the same objects.

namespace saccade::places {

extern const char* const tests;        // this folder
extern const char* const program;      // saccade; empty where it is not built
extern const char* const lab_program;  // saccade-lab
extern const char* const faults;       // where the layer lies that lets Vulkan fail

}  // namespace saccade::places
