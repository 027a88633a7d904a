#include "gpu/recorder/hazards.h"

#include <gtest/gtest.h>

#include "gpu/recorder/use.h"

namespace saccade {
namespace {

const int buffer = 0, other = 0;

Access reads(uint64_t begin, uint64_t end) { return {&buffer, begin, end, false}; }
Access writes(uint64_t begin, uint64_t end) { return {&buffer, begin, end, true}; }

TEST(Hazards, nothing_conflicts_with_nothing) {
    const Hazards hazards;
    EXPECT_FALSE(hazards.conflicts(reads(0, 100)));
    EXPECT_FALSE(hazards.conflicts(writes(0, 100)));
}

TEST(Hazards, reads_never_conflict_with_reads) {
    Hazards hazards;
    hazards.add(reads(0, 100));
    EXPECT_FALSE(hazards.conflicts(reads(50, 150)));
}

TEST(Hazards, a_read_after_a_write_a_write_after_a_read_and_a_write_after_a_write_conflict) {
    Hazards written, read;
    written.add(writes(0, 100));
    read.add(reads(0, 100));
    EXPECT_TRUE(written.conflicts(reads(50, 150)));
    EXPECT_TRUE(written.conflicts(writes(50, 150)));
    EXPECT_TRUE(read.conflicts(writes(50, 150)));
}

TEST(Hazards, ranges_that_only_touch_do_not_overlap) {
    Hazards hazards;
    hazards.add(writes(100, 200));
    EXPECT_FALSE(hazards.conflicts(reads(0, 100)));
    EXPECT_FALSE(hazards.conflicts(reads(200, 300)));
    EXPECT_TRUE(hazards.conflicts(reads(0, 101)));
    EXPECT_TRUE(hazards.conflicts(reads(199, 300)));
    EXPECT_TRUE(hazards.conflicts(reads(0, 300))) << "around it";
    EXPECT_TRUE(hazards.conflicts(reads(150, 151))) << "inside it";
}

TEST(Hazards, the_same_range_of_another_buffer_is_free) {
    Hazards hazards;
    hazards.add(writes(0, 100));
    EXPECT_FALSE(hazards.conflicts({&other, 0, 100, true}));
}

TEST(Hazards, images_are_one_range) {
    Hazards hazards;
    hazards.add({&buffer, 0, UINT64_MAX, false});
    EXPECT_TRUE(hazards.conflicts({&buffer, 0, UINT64_MAX, true}));
}

TEST(Hazards, everything_since_the_last_barrier_is_remembered_and_nothing_before) {
    Hazards hazards;
    for (uint64_t i = 0; i < 100; ++i) hazards.add(writes(i * 10, i * 10 + 5));
    EXPECT_TRUE(hazards.conflicts(reads(2, 3)));
    EXPECT_TRUE(hazards.conflicts(reads(990, 991)));
    EXPECT_FALSE(hazards.conflicts(reads(995, 1000)));
    hazards.barrier();
    EXPECT_FALSE(hazards.conflicts(reads(0, 1000)));
    hazards.add(reads(0, 10));
    EXPECT_TRUE(hazards.conflicts(writes(0, 10)));
}

TEST(Uses, touch_all_pictures_of_a_batch) {
    const Tensor t = make_tensor(nullptr, 512, 3, 5, 8, Type::f32);
    const Access all = access_of(read(t)), one = access_of(write(t.at_batch(1)));
    EXPECT_EQ(all.begin, 512u);
    EXPECT_EQ(all.end, 512 + 3 * 5 * 8 * sizeof(float));
    EXPECT_EQ(one.begin, 512 + 5 * 8 * sizeof(float));
    EXPECT_EQ(one.end, 512 + 2 * 5 * 8 * sizeof(float));
    EXPECT_FALSE(all.write);
    EXPECT_TRUE(one.write);
}

TEST(Uses, that_read_and_write_move_twice_the_bytes) {
    const Tensor t = make_tensor(nullptr, 0, 1, 5, 8, Type::f32);
    EXPECT_EQ(bytes_moved(read(t)), 160u);
    EXPECT_EQ(bytes_moved(write(t)), 160u);
    EXPECT_EQ(bytes_moved(read_write(t)), 320u);
    EXPECT_EQ(bytes_moved(read_some(t, 2)), 64u);
}

}  // namespace
}  // namespace saccade
