// Runs the tests once with the device's fastest kernels and, where it has special hardware, once
// more with the plain ones, so that every variant that the device has is tested.

#include <gtest/gtest.h>

#include <cstdlib>

#include "gpu/core/instance.h"
#include "tests/gpu_test.h"

namespace {

bool has_special_hardware() {
    try {
        const char* wanted = std::getenv("SACCADE_DEVICE");
        const saccade::Instance instance({});
        return instance.choose(wanted ? wanted : "").features.matrix_shapes.size() > 0;
    } catch (const std::exception&) {
        return false;  // the tests themselves report what is wrong
    }
}

}  // namespace

int main(int argc, char** argv) {
    ::testing::InitGoogleTest(&argc, argv);
    if (!::testing::GTEST_FLAG(list_tests) && has_special_hardware())
        ::testing::GTEST_FLAG(repeat) = 2;
    return RUN_ALL_TESTS();
}
