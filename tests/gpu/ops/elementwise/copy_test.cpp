#include <algorithm>
#include <bit>
#include <cmath>
#include <glm/gtc/packing.hpp>

#include "gpu/ops/elementwise.h"
#include "models/files/half.h"
#include "tests/gpu_test.h"

namespace saccade {
namespace {

class CopyTest : public GpuTest {
protected:
    // Elements as a file stores them, packed into words.
    Tensor stored(std::span<const float> values, Stored type) {
        std::vector<uint16_t> halves;
        std::vector<uint32_t> whole;
        for (float value : values) {
            if (type == Stored::f32) whole.push_back(std::bit_cast<uint32_t>(value));
            if (type == Stored::f16) halves.push_back(half_from_float(value));
            if (type == Stored::bf16) halves.push_back(bfloat_from_float(value));
        }
        return type == Stored::f32 ? ids(whole) : packed(halves);
    }
    Tensor packed(std::span<const uint16_t> halves) {
        std::vector<uint32_t> whole;
        for (size_t i = 0; i < halves.size(); i += 2)
            whole.push_back(halves[i] |
                            (i + 1 < halves.size() ? uint32_t(halves[i + 1]) << 16 : 0u));
        return ids(whole);
    }
    static float rounded(float value, Stored type) {
        if (type == Stored::f16) return glm::unpackHalf1x16(half_from_float(value));
        if (type == Stored::bf16) return float_from_bfloat(bfloat_from_float(value));
        return value;
    }
    static float rounded(float value, Type type) {
        return type == Type::f16 ? rounded(value, Stored::f16) : value;
    }
    // Copies a row of `count` elements stored as any type; returns the bits of the result.
    std::vector<uint32_t> bits_of_row(const Tensor& from, Stored type, uint32_t count, Type to) {
        begin();
        const Tensor y = poisoned(1, 1, count, to);
        copy_strided(commands, y, {{1, 1, 1, padded(count)}, {0, 0, 0, 1}}, from, type,
                     {{1, 1, 1, count}, {0, 0, 0, 1}});
        finish();
        expect_zero_padding(y);
        if (to == Type::f32) return words(y);
        Tensor pairs = y;
        pairs.type = Type::u32;
        pairs.columns = pairs.row_stride = pairs.batch_stride = padded(count) / 2;
        std::vector<uint32_t> bits;
        for (uint32_t pair : words(pairs)) {
            bits.push_back(pair & 0xffff);
            bits.push_back(pair >> 16);
        }
        bits.resize(count);
        return bits;
    }
    static constexpr Stored all_stored[] = {Stored::f32, Stored::f16, Stored::bf16};
};

TEST_F(CopyTest, takes_every_stored_type_to_both_of_ours) {
    for (Stored from : all_stored)
        for (Type to : {Type::f32, Type::f16})
            for (uint32_t columns : {1u, 7u, 333u}) {
                const std::vector<float> x = random(size_t(columns) * 5);
                const Tensor tx = stored(x, from);
                const auto y = run([&](Commands& r) {
                    const Tensor t = r.scratch(1, 5, columns, to);
                    copy_strided(r, t, {{1, 1, 5, padded(columns)}, {0, 0, t.row_stride, 1}}, tx,
                                 from, {{1, 1, 5, columns}, {0, 0, columns, 1}});
                    return t;
                });
                for (size_t i = 0; i < x.size(); ++i)
                    ASSERT_EQ(y[i], rounded(rounded(x[i], from), to))
                        << x[i] << " stored as " << int(from) << " to " << name_of(to);
            }
}

TEST_F(CopyTest, every_half_becomes_its_exact_float_and_itself_again) {
    std::vector<uint16_t> halves;  // all but infinities and NaNs, subnormals and -0 too
    for (uint32_t bits = 0; bits < 0x10000; ++bits)
        if ((bits & 0x7c00) != 0x7c00) halves.push_back(uint16_t(bits));
    const uint32_t count = uint32_t(halves.size());
    const auto floats = bits_of_row(packed(halves), Stored::f16, count, Type::f32);
    const auto same = bits_of_row(packed(halves), Stored::f16, count, Type::f16);
    for (uint32_t i = 0; i < count; ++i) {
        const int exponent = (halves[i] >> 10) & 31, fraction = halves[i] & 0x3ff;
        const float size = exponent ? std::ldexp(float(fraction + 1024), exponent - 25)
                                    : std::ldexp(float(fraction), -24);
        const float value = halves[i] & 0x8000 ? -size : size;
        ASSERT_EQ(floats[i], std::bit_cast<uint32_t>(value)) << "half " << std::hex << halves[i];
        ASSERT_EQ(same[i], halves[i]) << "half " << std::hex << halves[i];
    }
}

TEST_F(CopyTest, every_bfloat_becomes_its_exact_float) {
    std::vector<uint16_t> bfloats;  // all but NaNs, and subnormals, which a GPU may take for zeros
    for (uint32_t bits = 0; bits < 0x10000; ++bits)
        if ((bits & 0x7fff) == 0 || ((bits & 0x7fff) >= 0x80 && (bits & 0x7fff) <= 0x7f80))
            bfloats.push_back(uint16_t(bits));
    const uint32_t count = uint32_t(bfloats.size());
    const auto floats = bits_of_row(packed(bfloats), Stored::bf16, count, Type::f32);
    for (uint32_t i = 0; i < count; ++i)
        ASSERT_EQ(floats[i], uint32_t(bfloats[i]) << 16) << std::hex << bfloats[i];
}

TEST_F(CopyTest, floats_pass_unchanged_bit_for_bit) {
    const std::vector<float> x = {0.0f, -0.0f, 1.17549435e-38f, 3.4e38f, -1.5f, INFINITY, 1e-8f};
    const auto bits =
        bits_of_row(stored(x, Stored::f32), Stored::f32, uint32_t(x.size()), Type::f32);
    for (size_t i = 0; i < x.size(); ++i) EXPECT_EQ(bits[i], std::bit_cast<uint32_t>(x[i])) << x[i];
}

TEST_F(CopyTest, rounds_to_the_nearest_half_and_to_the_even_one_of_two) {
    struct Case {
        float value;
        uint32_t half;
    };
    const Case cases[] = {
        {1.0f, 0x3c00},
        {1.0f + 0x1p-11f, 0x3c00},             // half-way: down to the even one
        {1.0f + 0x1p-11f + 0x1p-23f, 0x3c01},  // a little more: up
        {1.0f + 3 * 0x1p-11f, 0x3c02},         // half-way: up to the even one
        {-(1.0f + 0x1p-11f), 0xbc00},
        {2047.5f, 0x6800},              // the carry reaches the exponent
        {0x1p-14f, 0x0400},             // the smallest normal
        {0x1p-14f - 0x1p-25f, 0x0400},  // half-way to the largest subnormal
        {0x1p-24f, 0x0001},             // the smallest of all
        {0x1p-25f, 0x0000},             // half-way to zero
        {0x1p-25f + 0x1p-40f, 0x0001},
        {3 * 0x1p-25f, 0x0002},
        {-3 * 0x1p-25f, 0x8002},
        {1e-10f, 0x0000},
        {0.1f, 0x2e66},
        {65503.0f, 0x7bff},
    };
    std::vector<float> x;
    for (const Case& c : cases) x.push_back(c.value);
    const auto bits =
        bits_of_row(stored(x, Stored::f32), Stored::f32, uint32_t(x.size()), Type::f16);
    for (size_t i = 0; i < x.size(); ++i)
        EXPECT_EQ(bits[i], cases[i].half) << std::hexfloat << x[i];
}

TEST_F(CopyTest, rounds_like_the_host_at_every_size_a_half_can_hold) {
    std::vector<float> x = random(20000);
    for (size_t i = 0; i < x.size(); ++i) x[i] = std::ldexp(x[i], int(i % 42) - 26);
    const auto bits =
        bits_of_row(stored(x, Stored::f32), Stored::f32, uint32_t(x.size()), Type::f16);
    for (size_t i = 0; i < x.size(); ++i)
        ASSERT_EQ(bits[i], half_from_float(x[i])) << std::hexfloat << x[i];
}

TEST_F(CopyTest, what_fp16_cannot_hold_becomes_its_largest_number) {
    const std::vector<float> x = {65504.0f, 65519.0f,  65520.0f,  65536.0f, 1e10f,    3e38f,
                                  INFINITY, -65504.0f, -65520.0f, -1e10f,   -INFINITY};
    for (Stored from : {Stored::f32, Stored::bf16}) {
        const Tensor tx = stored(x, from);
        for (uint32_t half : bits_of_row(tx, from, uint32_t(x.size()), Type::f16))
            EXPECT_EQ(half & 0x7fff, 0x7bffu);
    }
}

TEST_F(CopyTest, transposes) {
    const std::vector<float> x = random(5 * 7);
    for (Stored from : all_stored) {
        const Tensor tx = stored(x, from);
        const auto y = run([&](Commands& r) {
            const Tensor t = r.scratch(1, 7, 5, Type::f32);
            copy_strided(r, t, {{1, 1, 7, 8}, {0, 0, t.row_stride, 1}}, tx, from,
                         {{1, 1, 7, 5}, {0, 0, 1, 7}});
            return t;
        });
        for (size_t i = 0; i < 7; ++i)
            for (size_t j = 0; j < 5; ++j) EXPECT_EQ(y[i * 5 + j], rounded(x[j * 7 + i], from));
    }
}

TEST_F(CopyTest, fills_with_zeros_where_the_source_ends_first) {
    // Heads of 3 columns become heads of 8, two of them become three, and rows are added.
    const std::vector<float> x = random(2 * 5 * 2 * 3);  // (2, 5, 2, 3)
    for (Type to : {Type::f32, Type::f16}) {
        const Tensor tx = stored(x, Stored::f32);
        const auto y = run([&](Commands& r) {
            const Tensor t = r.scratch(3, 6, 24, to);
            copy_strided(r, t, {{3, 6, 3, 8}, {t.batch_stride, t.row_stride, 8, 1}}, tx,
                         Stored::f32, {{2, 5, 2, 3}, {30, 6, 3, 1}});
            return t;
        });
        for (size_t i = 0; i < 3; ++i)
            for (size_t j = 0; j < 6; ++j)
                for (size_t k = 0; k < 3; ++k)
                    for (size_t l = 0; l < 8; ++l) {
                        const bool there = i < 2 && j < 5 && k < 2 && l < 3;
                        const float want = there ? x[((i * 5 + j) * 2 + k) * 3 + l] : 0.0f;
                        ASSERT_EQ(y[(i * 6 + j) * 24 + k * 8 + l], rounded(want, to))
                            << i << " " << j << " " << k << " " << l;
                    }
    }
}

TEST_F(CopyTest, moves_the_channels_of_a_convolution_last) {
    constexpr size_t out = 5, in = 12, height = 2, width = 3;
    const std::vector<float> x = random(out * in * height * width);  // (out, in, height, width)
    for (Stored from : all_stored)
        for (Type to : {Type::f32, Type::f16}) {
            const Tensor tx = stored(x, from);
            const auto y = run([&](Commands& r) {
                const Tensor t = r.scratch(1, out, height * width * in, to);
                copy_strided(
                    r, t, {{out, height, width, in}, {t.row_stride, width * in, in, 1}}, tx, from,
                    {{out, height, width, in}, {in * height * width, width, 1, height * width}});
                return t;
            });
            for (size_t o = 0; o < out; ++o)
                for (size_t h = 0; h < height; ++h)
                    for (size_t w = 0; w < width; ++w)
                        for (size_t c = 0; c < in; ++c)
                            ASSERT_EQ(
                                y[((o * height + h) * width + w) * in + c],
                                rounded(rounded(x[((o * in + c) * height + h) * width + w], from),
                                        to));
        }
}

TEST_F(CopyTest, begins_anywhere_in_the_source) {
    const std::vector<float> x = random(40);
    for (Stored from : all_stored)
        for (uint32_t first : {0u, 1u, 2u, 3u, 13u}) {
            const Tensor tx = stored(x, from);
            const auto y = run([&](Commands& r) {
                const Tensor t = r.scratch(1, 2, 5, Type::f32);
                copy_strided(r, t, {{1, 1, 2, 8}, {0, 0, 8, 1}}, tx, from,
                             {{1, 1, 2, 5}, {0, 0, 11, 1}, first});
                return t;
            });
            for (size_t i = 0; i < 10; ++i)
                EXPECT_EQ(y[i], rounded(x[first + i / 5 * 11 + i % 5], from)) << first;
        }
}

TEST_F(CopyTest, copies_tensors_of_either_type_to_either) {
    for (Type from : {Type::f32, Type::f16})
        for (Type to : {Type::f32, Type::f16}) {
            const std::vector<float> x = random(2 * 5 * 19, from);
            const Tensor tx = tensor(2, 5, 19, from, x);
            const auto y = run([&](Commands& r) {
                const Tensor t = r.scratch(2, 5, 19, to);
                copy(r, t, tx);
                return t;
            });
            for (size_t i = 0; i < x.size(); ++i)
                ASSERT_EQ(y[i], rounded(x[i], to)) << name_of(from) << " to " << name_of(to);
        }
}

TEST_F(CopyTest, copies_one_batch_into_every_one) {
    const std::vector<float> x = random(2 * 19);
    const Tensor tx = tensor(1, 2, 19, Type::f32, x);
    const auto y = run([&](Commands& r) {
        const Tensor t = r.scratch(3, 2, 19, Type::f32);
        copy(r, t, tx);
        return t;
    });
    for (size_t i = 0; i < y.size(); ++i) ASSERT_EQ(y[i], x[i % x.size()]);
}

TEST_F(CopyTest, multiplies_by_a_scale_before_it_rounds) {
    const std::vector<float> x = random(19);
    for (Stored from : all_stored)
        for (Type to : {Type::f32, Type::f16}) {
            const Tensor tx = stored(x, from);
            const auto y = run([&](Commands& r) {
                const Tensor t = r.scratch(1, 1, 19, to);
                copy_strided(r, t, {{1, 1, 1, 24}, {0, 0, 0, 1}}, tx, from,
                             {{1, 1, 1, 19}, {0, 0, 0, 1}}, 0.3f);
                return t;
            });
            for (size_t i = 0; i < x.size(); ++i)
                EXPECT_EQ(y[i], rounded(0.3f * rounded(x[i], from), to));
        }
}

TEST_F(CopyTest, copies_parts_of_tensors) {
    // Rows 1 and 2 of each batch of x, columns 8 to 15, into rows 3 and 4 and columns 16 to 23 of
    // y.
    const std::vector<float> x = random(2 * 4 * 24);
    const Tensor tx = tensor(2, 4, 24, Type::f32, x);
    const Tensor ty = tensor(2, 6, 32, Type::f32, std::vector<float>(2 * 6 * 32, 9.0f));
    const auto y = run([&](Commands& r) {
        copy(r, ty.slice_rows(3, 2).slice_columns(16, 8), tx.slice_rows(1, 2).slice_columns(8, 8));
        return ty;
    });
    for (size_t b = 0; b < 2; ++b)
        for (size_t i = 0; i < 6; ++i)
            for (size_t j = 0; j < 32; ++j) {
                const bool copied = (i == 3 || i == 4) && j >= 16 && j < 24;
                ASSERT_EQ(y[(b * 6 + i) * 32 + j], copied ? x[(b * 4 + i - 2) * 24 + j - 8] : 9.0f)
                    << b << " " << i << " " << j;
            }
}

TEST_F(CopyTest, refuses_shapes_that_do_not_fit) {
    const Tensor x = random_tensor(1, 4, 16, Type::f32);
    const Tensor y = poisoned(1, 4, 16, Type::f32);
    begin();
    EXPECT_THROW(copy(commands, y, random_tensor(1, 4, 15, Type::f32)), Error);
    EXPECT_THROW(copy(commands, y, random_tensor(2, 4, 16, Type::f32)), Error);
    EXPECT_THROW(copy(commands, poisoned(3, 4, 16, Type::f32), random_tensor(2, 4, 16, Type::f32)),
                 Error);
    EXPECT_THROW(copy(commands, poisoned(1, 4, 16, Type::u32), x), Error);
    EXPECT_THROW(copy(commands, y, poisoned(1, 4, 16, Type::u32)), Error);
    // Results are written in fours, side by side.
    EXPECT_THROW(copy_strided(commands, y, {{1, 1, 4, 6}, {0, 0, 16, 1}}, x, Stored::f32,
                              {{1, 1, 4, 6}, {0, 0, 16, 1}}),
                 Error);
    EXPECT_THROW(copy_strided(commands, y, {{1, 1, 4, 8}, {0, 0, 16, 2}}, x, Stored::f32,
                              {{1, 1, 4, 8}, {0, 0, 16, 1}}),
                 Error);
    EXPECT_THROW(copy_strided(commands, y, {{1, 1, 4, 8}, {0, 0, 13, 1}}, x, Stored::f32,
                              {{1, 1, 4, 8}, {0, 0, 16, 1}}),
                 Error);
    finish();
}

}  // namespace
}  // namespace saccade
