#include "gpu/recorder/arena.h"

#include <set>

#include "tests/gpu_test.h"

namespace saccade {
namespace {

class ArenaTest : public ::testing::Test {
protected:
    Arena arena{test_device(), "scratch"};
};

TEST_F(ArenaTest, holds_nothing_before_it_is_asked) { EXPECT_EQ(arena.bytes(), 0u); }

TEST_F(ArenaTest, tensors_do_not_overlap_and_begin_where_any_device_can_bind) {
    std::vector<Tensor> tensors;
    for (uint32_t columns : {1u, 7u, 333u, 1u, 64u, 100000u, 3u})
        for (Type type : {Type::f32, Type::f16, Type::u32})
            tensors.push_back(arena.allocate(2, 3, columns, type));
    for (size_t i = 0; i < tensors.size(); ++i) {
        const Tensor& a = tensors[i];
        EXPECT_EQ(a.base % 256, 0u);
        EXPECT_EQ(a.base % test_device().limits().storage_alignment, 0u);
        EXPECT_EQ(a.offset, 0u);
        for (size_t j = 0; j < i; ++j) {
            const Tensor& b = tensors[j];
            EXPECT_TRUE(a.buffer != b.buffer || a.base + a.bytes <= b.base ||
                        b.base + b.bytes <= a.base)
                << i << " and " << j;
        }
    }
}

TEST_F(ArenaTest, a_tensor_that_a_block_has_no_room_for_begins_another) {
    const Tensor most = arena.allocate(1, 1, ((4u << 20) - 256) / 4, Type::f32);
    const Tensor last = arena.allocate(1, 1, 64, Type::f32),
                 next = arena.allocate(1, 1, 64, Type::f32);
    EXPECT_EQ(last.buffer, most.buffer);
    EXPECT_NE(next.buffer, most.buffer);
    arena.release({});
    arena.allocate(1, 1, ((4u << 20) - 256) / 4, Type::f32);
    EXPECT_NE(arena.allocate(1, 1, 128, Type::f32).buffer, most.buffer) << "256 bytes too many";
}

TEST_F(ArenaTest, memory_given_back_is_taken_again) {
    const Tensor kept = arena.allocate(1, 1, 100, Type::f32);
    const Arena::Mark mark = arena.mark();
    const Tensor first = arena.allocate(1, 5, 100, Type::f32);
    arena.release(mark);
    const Tensor second = arena.allocate(1, 1, 10, Type::f16);
    EXPECT_EQ(second.buffer, first.buffer);
    EXPECT_EQ(second.base, first.base);
    EXPECT_NE(second.base, kept.base);
}

TEST_F(ArenaTest, a_steady_frame_does_not_grow_it) {
    auto frame = [&] {
        arena.release({});
        std::vector<std::pair<VkBuffer, uint64_t>> places;
        for (uint32_t layer = 0; layer < 12; ++layer) {
            const Arena::Mark mark = arena.mark();
            for (uint32_t i = 0; i < 3; ++i) {
                const Tensor t = arena.allocate(1, 197, 1000 * (i + 1), Type::f32);
                places.emplace_back(t.buffer, t.base);
            }
            arena.release(mark);
        }
        return places;
    };
    const auto first = frame();
    const uint64_t bytes = arena.bytes();
    EXPECT_GT(bytes, 197u * 6000 * 4);
    EXPECT_LT(bytes, 3u * 197 * 6000 * 4) << "layers share their memory";
    for (int i = 0; i < 3; ++i) EXPECT_EQ(frame(), first);
    EXPECT_EQ(arena.bytes(), bytes);
}

TEST_F(ArenaTest, something_large_gets_a_block_of_its_own_size) {
    const Tensor small = arena.allocate(1, 1, 8, Type::f32);
    const uint64_t before = arena.bytes();
    const Tensor large = arena.allocate(1, 5000, 1000, Type::f32);  // 20 MB
    EXPECT_NE(large.buffer, small.buffer);
    EXPECT_EQ(large.bytes, 20'000'000u);
    EXPECT_GE(arena.bytes() - before, 20'000'000u);
    EXPECT_LT(arena.bytes() - before, 20'001'000u);
}

TEST_F(ArenaTest, blocks_are_found_again_after_a_smaller_one_was_passed_over) {
    arena.allocate(1, 1, 8, Type::f32);
    arena.allocate(1, 5000, 1000, Type::f32);
    const uint64_t bytes = arena.bytes();
    arena.release({});
    const Tensor large = arena.allocate(1, 5000, 1000, Type::f32);  // passes the first block over
    const Tensor small = arena.allocate(1, 1, 8, Type::f32);
    EXPECT_NE(large.buffer, nullptr);
    EXPECT_TRUE(small.buffer != large.buffer || small.base >= large.base + large.bytes);
    arena.release({});
    arena.allocate(1, 1, 8, Type::f32);
    arena.allocate(1, 5000, 1000, Type::f32);
    EXPECT_LE(arena.bytes(), bytes + (4u << 20));
}

TEST_F(ArenaTest, what_no_device_can_hold_is_an_error_that_names_it) {
    try {
        arena.allocate(60000, 1000, 60000, Type::f32);
        FAIL();
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("scratch"), std::string::npos) << error.what();
    }
    EXPECT_EQ(arena.bytes(), 0u);
    EXPECT_EQ(arena.allocate(1, 1, 8, Type::f32).base, 0u) << "and it can be used afterwards";
}

}  // namespace
}  // namespace saccade
