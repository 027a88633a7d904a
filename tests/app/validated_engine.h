#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string_view>

#include "gpu/engine.h"

namespace saccade {

// The tests' device, with the validation layers on: any of their messages fails the test.
inline EngineOptions validated_engine() {
    EngineOptions options;
    if (const char* device = std::getenv("SACCADE_DEVICE")) options.device = device;
    options.validation = !std::getenv("SACCADE_NO_VALIDATION");
    options.on_message = [](std::string_view text) { ADD_FAILURE() << "validation: " << text; };
    return options;
}

}  // namespace saccade
