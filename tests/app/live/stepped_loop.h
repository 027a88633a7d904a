#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <functional>

#include "app/live/loop.h"
#include "tests/app/quiet_log.h"
#include "tests/models/files/temp_folder.h"

namespace saccade {

// A live loop with the validation layers on, stepped by hand.
class SteppedLoop : public ::testing::Test {
protected:
    explicit SteppedLoop(const CaptureOptions& capture)
        : engine(validated()), loop(engine, capture, folder.path()) {}
    static EngineOptions validated() {
        EngineOptions options;
        if (const char* device = std::getenv("SACCADE_DEVICE")) options.device = device;
        options.validation = !std::getenv("SACCADE_NO_VALIDATION");
        options.on_message = [](std::string_view text) { ADD_FAILURE() << "validation: " << text; };
        return options;
    }
    // Steps until it holds, or much too long.
    bool step_until(const std::function<bool()>& holds) {
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
        while (!holds()) {
            if (std::chrono::steady_clock::now() > end) return false;
            if (!loop.step(state)) loop.rest();
        }
        return true;
    }
    bool step_frames(uint64_t count) {
        const uint64_t end = loop.report().frames + count;
        return step_until([&] { return loop.report().frames >= end; });
    }

    const QuietLog quiet;
    TempFolder folder;
    Engine engine;
    LiveState state;
    LiveLoop loop;
};

}  // namespace saccade
