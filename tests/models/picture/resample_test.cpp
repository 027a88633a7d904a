#include "models/picture/resample.h"

#include <gtest/gtest.h>

#include <array>
#include <numeric>

#include "gpu/core/error.h"
#include "tests/models/picture/preprocess_reference.h"

namespace saccade {
namespace {

constexpr int32_t one = 1 << weight_bits;

// Rough enough that filters overshoot at both ends, and the same on every machine.
std::vector<uint8_t> pattern(uint32_t width, uint32_t height) {
    std::vector<uint8_t> rgb;
    for (uint32_t y = 0; y < height; ++y)
        for (uint32_t x = 0; x < width; ++x)
            for (uint32_t c = 0; c < 3; ++c)
                rgb.push_back(static_cast<uint8_t>(x * x * 3 + y * y * 5 + x * y * 7 + c * 85));
    return rgb;
}

std::vector<uint8_t> resize(const std::vector<uint8_t>& rgb, Size from, Size to, Filter filter) {
    return reference::resample(make_taps(from.x, to.x, filter), make_taps(from.y, to.y, filter),
                               rgb, from.x);
}

// FNV-1a of Pillow 9.4's results for the pattern, in the order of Pillow's filter ids.
struct PillowCase {
    Size from, to;
    std::array<uint64_t, 6> hashes;
};
constexpr PillowCase pillow[] = {
    {{37, 23},
     {18, 11},
     {0x9b954899169e62ebu, 0xf3c474fd3a7edcabu, 0xba1dd99c62059efau, 0x4bd011b5f4d46e79u,
      0xc823f983ac3d7a1au, 0xd7931601fd85a0e1u}},
    {{37, 23},
     {74, 46},
     {0x92d854fb37bcf0b5u, 0x7d011498507a68c6u, 0x5d84f991841df533u, 0x3d99015796150899u,
      0x92d854fb37bcf0b5u, 0xbdf68297f2439e6du}},
    {{37, 23},
     {37, 23},
     {0x2f21b17235afa4ebu, 0x2f21b17235afa4ebu, 0x2f21b17235afa4ebu, 0x2f21b17235afa4ebu,
      0x2f21b17235afa4ebu, 0x2f21b17235afa4ebu}},
    {{37, 23},
     {64, 64},
     {0x2d2dae6db1fa3655u, 0xe752002505eef515u, 0x4847d1d74fc3a8a4u, 0xc05cb0f959f69163u,
      0x2d2dae6db1fa3655u, 0x541b7759390d8490u}},
    {{37, 23},
     {5, 3},
     {0xde027b47c0882351u, 0x8ea57d5a2958a8e4u, 0xbf7fdc10488ad165u, 0xc7d822bece05d85au,
      0x061316575c7922e2u, 0x83589b90bf024383u}},
    {{37, 23},
     {1, 1},
     {0xc2ad321b34a2bfb9u, 0xadd86a1975ab487fu, 0xa32b5f196f0e1c7cu, 0xa32b5f196f0e1c7cu,
      0xadd86a1975ab487fu, 0xa32b5f196f0e1c7cu}},
    {{37, 23},
     {37, 11},
     {0xf19ac1ca829cd853u, 0x828926c8bc6c268eu, 0x42fa7eb32a460154u, 0xbad6f41b917f1185u,
      0x2edac380a8ada909u, 0x337fb30365055adbu}},
    {{37, 23},
     {50, 23},
     {0xba8151e0349597cfu, 0xe23bad05d0e81297u, 0xf004d7519df69224u, 0xd96082a9eaa150bdu,
      0xba8151e0349597cfu, 0x3821b268e6b07c66u}},
    {{37, 23},
     {100, 7},
     {0xcb4bf32127d83a73u, 0xa7a94cbb0b5b81eeu, 0xd63f510323f3efd6u, 0xc92d335a0c5b179au,
      0x65ccdc3d82dbd84eu, 0xf4183fc29e47b6a9u}},
    {{64, 48},
     {32, 24},
     {0x6dc20e37a3479325u, 0x60de808fdfce046cu, 0x4b8f8fb9ed7616eeu, 0x7b8cf39c94daf301u,
      0x4ddb6952c98a3aa5u, 0x996d723b283bb401u}},
    {{1, 1},
     {16, 9},
     {0x08825d075f01ba75u, 0x08825d075f01ba75u, 0x08825d075f01ba75u, 0x08825d075f01ba75u,
      0x08825d075f01ba75u, 0x08825d075f01ba75u}},
    {{300, 2},
     {7, 50},
     {0xbbfe6c8f012bb6ddu, 0xffd2a0bc3b873048u, 0x281c1ee2dd549924u, 0x6a401146208e8d45u,
      0x3cf41110fc71fef9u, 0xc01e721a2f06af73u}},
    {{640, 480},
     {224, 224},
     {0x41368450e5ec1d25u, 0x6bfb361c783d8f9au, 0x1712749ba805566au, 0xfb5ba6961ad6bcc0u,
      0x45d99bf8a49f9421u, 0x77621bcada45d33bu}},
    {{451, 300},
     {96, 64},
     {0x0145442b2ffccb7du, 0xa7a5db72228b85dfu, 0x959cddf5e6a0f22eu, 0xe11d4a434fe23048u,
      0x9988ace8f7769cb2u, 0x571bda5a4cc8c812u}},
    {{200, 133},
     {333, 221},
     {0xde1c9f3311e96211u, 0xbfd49ba5959eabb0u, 0x71e15c40e7c5bd3au, 0xdfdc06c0121c662cu,
      0x473d911d911df55au, 0x4a3daa2efc87fadbu}},
};

void expect_pillow(Filter filter) {
    for (const PillowCase& c : pillow) {
        const auto got = resize(pattern(c.from.x, c.from.y), c.from, c.to, filter);
        EXPECT_EQ(reference::fnv1a(got), c.hashes[static_cast<size_t>(filter)])
            << c.from.x << "x" << c.from.y << " to " << c.to.x << "x" << c.to.y;
    }
}

TEST(Resample, nearest_is_pillows_bit_for_bit) { expect_pillow(Filter::nearest); }
TEST(Resample, lanczos_is_pillows_bit_for_bit) { expect_pillow(Filter::lanczos); }
TEST(Resample, bilinear_is_pillows_bit_for_bit) { expect_pillow(Filter::bilinear); }
TEST(Resample, bicubic_is_pillows_bit_for_bit) { expect_pillow(Filter::bicubic); }
TEST(Resample, box_is_pillows_bit_for_bit) { expect_pillow(Filter::box); }
TEST(Resample, hamming_is_pillows_bit_for_bit) { expect_pillow(Filter::hamming); }

TEST(Resample, bilinear_halving_matches_pillow) {
    const std::vector<uint8_t> want = {12, 97,  182, 39, 124, 190, 91,  171, 156, 141, 163, 86,
                                       43, 128, 197, 90, 161, 109, 150, 139, 96,  108, 115, 163};
    EXPECT_EQ(resize(pattern(8, 4), {8, 4}, {4, 2}, Filter::bilinear), want);
}

TEST(Resample, bicubic_halving_matches_pillow) {
    const std::vector<uint8_t> want = {6,  91,  179, 32, 118, 202, 86,  179, 163, 150, 166, 72,
                                       41, 127, 208, 92, 169, 95,  165, 136, 83,  101, 108, 177};
    EXPECT_EQ(resize(pattern(8, 4), {8, 4}, {4, 2}, Filter::bicubic), want);
}

TEST(Resample, equal_sizes_copy_with_one_tap) {
    for (uint32_t id = 0; id < 6; ++id) {
        for (Rounding rounding : {Rounding::pillow, Rounding::torchvision}) {
            const Taps taps = make_taps(5, 5, static_cast<Filter>(id), rounding);
            EXPECT_EQ(taps.max_taps, 1u);
            EXPECT_EQ(taps.first, (std::vector<uint32_t>{0, 1, 2, 3, 4}));
            EXPECT_EQ(taps.count, std::vector<uint32_t>(5, 1));
            EXPECT_EQ(taps.weights, std::vector<int32_t>(5, one));
        }
    }
}

TEST(Resample, taps_stay_inside_the_source_and_weigh_one_in_all) {
    for (uint32_t id = 0; id < 6; ++id)
        for (Rounding rounding : {Rounding::pillow, Rounding::torchvision})
            for (uint32_t in : {1u, 2u, 3u, 17u, 224u, 1001u})
                for (uint32_t out : {1u, 2u, 3u, 16u, 97u, 800u}) {
                    const Taps taps = make_taps(in, out, static_cast<Filter>(id), rounding);
                    ASSERT_EQ(taps.out_size, out);
                    ASSERT_EQ(taps.first.size(), out);
                    ASSERT_EQ(taps.count.size(), out);
                    ASSERT_EQ(taps.weights.size(), size_t{out} * taps.max_taps);
                    for (uint32_t i = 0; i < out; ++i) {
                        ASSERT_GE(taps.count[i], 1u);
                        ASSERT_LE(taps.count[i], taps.max_taps);
                        ASSERT_LE(taps.first[i] + taps.count[i], in);
                        const auto row = taps.weights.data() + size_t{i} * taps.max_taps;
                        const auto end = row + taps.count[i];
                        // Each weight is off by half a unit of its precision at most.
                        const double slack =
                            taps.count[i] * (rounding == Rounding::pillow ? 0.5 : 256.0);
                        ASSERT_NEAR(std::accumulate(row, end, 0.0), one, slack);
                        ASSERT_TRUE(std::all_of(end, row + taps.max_taps,
                                                [](int32_t w) { return w == 0; }));
                    }
                }
}

TEST(Resample, a_sum_never_leaves_32_bits) {
    for (uint32_t id = 0; id < 6; ++id)
        for (uint32_t in : {2u, 3u, 5u, 100u, 3000u})
            for (uint32_t out : {1u, 3u, 7u, 99u, 224u}) {
                const Taps taps = make_taps(in, out, static_cast<Filter>(id));
                for (uint32_t i = 0; i < out; ++i) {
                    int64_t most = 1 << (weight_bits - 1), least = most;
                    for (uint32_t k = 0; k < taps.count[i]; ++k) {
                        const int64_t w = taps.weights[size_t{i} * taps.max_taps + k];
                        (w > 0 ? most : least) += 255 * w;
                    }
                    ASSERT_LE(most, INT32_MAX);
                    ASSERT_GE(least, INT32_MIN);
                }
            }
}

TEST(Resample, a_crop_is_a_cut_out_of_the_whole) {
    for (Filter filter : {Filter::nearest, Filter::bilinear, Filter::bicubic})
        for (Rounding rounding : {Rounding::pillow, Rounding::torchvision}) {
            const Taps whole = make_taps(50, 20, filter, rounding);
            const Taps part = make_taps(50, 20, filter, 3, 9, rounding);
            ASSERT_EQ(part.out_size, 9u);
            for (uint32_t i = 0; i < 9; ++i) {
                EXPECT_EQ(part.first[i], whole.first[i + 3]);
                ASSERT_EQ(part.count[i], whole.count[i + 3]);
                for (uint32_t k = 0; k < part.count[i]; ++k)
                    EXPECT_EQ(part.weights[i * part.max_taps + k],
                              whole.weights[(i + 3) * whole.max_taps + k]);
            }
        }
}

TEST(Resample, outputs_outside_the_picture_read_zero) {
    const Taps taps = make_taps(4, 2, Filter::bilinear, -1, 5);
    EXPECT_EQ(taps.count[0], 0u);
    EXPECT_GT(taps.count[1], 0u);
    EXPECT_GT(taps.count[2], 0u);
    EXPECT_EQ(taps.count[3], 0u);
    EXPECT_EQ(taps.count[4], 0u);
    const std::vector<uint8_t> white(4, 255);
    EXPECT_EQ(reference::apply_taps(taps, 0, white.data(), 1), 0);
    EXPECT_EQ(reference::apply_taps(taps, 1, white.data(), 1), 255);
    EXPECT_EQ(reference::apply_taps(taps, 3, white.data(), 1), 0);
}

TEST(Resample, a_crop_wholly_outside_still_has_a_tap_to_a_row) {
    const Taps taps = make_taps(4, 4, Filter::bicubic, 100, 3);
    EXPECT_EQ(taps.count, std::vector<uint32_t>(3, 0));
    EXPECT_EQ(taps.max_taps, 1u);
    EXPECT_EQ(taps.weights, std::vector<int32_t>(3, 0));
}

TEST(Resample, torchvisions_weights_fit_sixteen_bits) {
    for (Filter filter : {Filter::bilinear, Filter::bicubic})
        for (uint32_t in : {16u, 100u, 451u, 9000u}) {
            const Taps taps = make_taps(in, 64, filter, Rounding::torchvision);
            int32_t largest = 0, used = 0;
            for (int32_t w : taps.weights) {
                largest = std::max(largest, w);
                used |= w;
            }
            int shift = 0;
            while (shift < weight_bits && (used >> shift & 1) == 0) ++shift;
            EXPECT_LT(largest >> shift, 1 << 15);
        }
}

TEST(Resample, a_torchvision_weight_of_exactly_one_leaves_fourteen_bits) {
    const Taps taps = make_taps(64, 192, Filter::bilinear, Rounding::torchvision);
    EXPECT_EQ(*std::max_element(taps.weights.begin(), taps.weights.end()), one);
    for (int32_t w : taps.weights) ASSERT_EQ(w % (1 << (weight_bits - 14)), 0);
}

TEST(Resample, nothing_to_read_or_to_make_is_an_error) {
    EXPECT_THROW(make_taps(0, 4, Filter::bilinear), Error);
    EXPECT_THROW(make_taps(4, 0, Filter::bilinear), Error);
    EXPECT_THROW(make_taps(4, 4, Filter::bilinear, 0, 0), Error);
}

TEST(Resample, a_blur_reflects_both_borders_alike) {
    const Taps taps = make_blurred_taps(9, 9, 5, 1);
    auto weight = [&](uint32_t output, uint32_t pixel) {
        const uint32_t k = pixel - taps.first[output];
        return k < taps.count[output] ? taps.weight(output * taps.max_taps + k) : 0;
    };
    for (uint32_t i = 0; i < 5; ++i)
        for (uint32_t k = 0; k < 9; ++k) EXPECT_NEAR(weight(i, k), weight(4 - i, 8 - k), 1e-6f);
}

}  // namespace
}  // namespace saccade
