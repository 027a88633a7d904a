#pragma once

// Where things lie on this machine. Only tests/places.cpp is compiled with these paths, so that the
// tests of another checkout compile to the same objects.

namespace saccade::places {

const char* tests();        // this folder
const char* program();      // saccade; empty where it is not built
const char* lab_program();  // saccade-lab
const char* faults();       // where the layer lies that lets Vulkan fail

}  // namespace saccade::places
