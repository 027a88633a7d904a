#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <functional>

#include "app/live/loop.h"
#include "tests/app/quiet_log.h"
#include "tests/app/validated_engine.h"
#include "tests/models/files/temp_folder.h"

namespace saccade {

// A live loop with the validation layers on, stepped by hand.
class SteppedLoop : public ::testing::Test {
protected:
    explicit SteppedLoop(const CaptureOptions& capture)
        : engine(validated_engine()), loop(engine, capture, folder.path()) {}
    // As in the window, the pointer releases objects of models that are no longer there.
    bool step() {
        const bool new_picture = loop.step(wishes, pointer, events);
        move_to_models(pointer, loop.status().models_version);
        return new_picture;
    }
    void wait_for_models(bool prompts_may_come = false) {
        loop.wait_for_models(wishes, prompts_may_come);
        move_to_models(pointer, loop.status().models_version);
    }
    // Steps until the condition holds, or a generous limit is reached.
    bool step_until(const std::function<bool()>& holds) {
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
        while (!holds()) {
            if (std::chrono::steady_clock::now() > end) return false;
            if (!step()) loop.rest();
        }
        return true;
    }
    bool step_frames(uint64_t count) {
        const uint64_t end = loop.status().frames + count;
        return step_until([&] { return loop.status().frames >= end; });
    }

    const QuietLog quiet;
    TempFolder folder;
    Engine engine;
    Wishes wishes;
    Pointer pointer;
    Events events;
    LiveLoop loop;
};

}  // namespace saccade
