// A model is loaded in the background while another runs: two threads use one device.

#include <cstring>
#include <thread>

#include "gpu/ops/elementwise.h"
#include "tests/gpu_test.h"

namespace saccade {
namespace {

// Enough rounds that recorders are made and destroyed at every point of each other's lives.
constexpr int rounds = 500;

// Doubles some numbers over and over, with buffers of its own and a recorder for each round.
void work(Device& device, uint32_t columns, bool& right) {
    Arena arena(device, "thread's scratch");
    const uint64_t bytes = tensor_bytes(1, 1, columns, Type::f32);
    const Buffer from(device, "from", bytes, Memory::upload),
        to(device, "to", bytes, Memory::readback);
    std::vector<float> values(bytes / 4, 0.0f);
    for (uint32_t i = 0; i < columns; ++i) values[i] = float(i % 97);
    std::memcpy(from.mapped().data(), values.data(), bytes);
    from.flush();
    right = true;
    for (int round = 0; round < rounds; ++round) {
        Commands commands(device, arena, "thread");
        commands.begin();
        {
            const Tensor x = make_tensor(from.handle(), 0, 1, 1, columns, Type::f32);
            auto scope = commands.scope("double");
            add_into(commands, make_tensor(to.handle(), 0, 1, 1, columns, Type::f32), x, x);
        }
        commands.end();
        commands.run();
        to.invalidate();
        std::vector<float> doubled(bytes / 4);
        std::memcpy(doubled.data(), to.mapped().data(), bytes);
        for (uint32_t i = 0; i < columns; ++i) right = right && doubled[i] == 2 * values[i];
    }
}

TEST(Threads, two_use_one_device_at_a_time) {
    Device& device = test_device();
    bool first = false, second = false;
    {
        const std::jthread one([&] { work(device, 1000, first); });
        const std::jthread other([&] { work(device, 77, second); });
    }
    EXPECT_TRUE(first);
    EXPECT_TRUE(second);
}

}  // namespace
}  // namespace saccade
