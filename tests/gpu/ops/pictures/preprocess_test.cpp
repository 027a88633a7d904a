#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "gpu/ops/pictures.h"
#include "models/files/safetensors.h"
#include "models/picture/preprocessor.h"
#include "tests/golden_picture.h"
#include "tests/gpu_test.h"
#include "tests/models/picture/preprocess_reference.h"
#include "tests/places.h"

namespace saccade {
namespace {

struct Patch {
    uint32_t width, height;
};

class PreprocessTest : public GpuTest {
protected:
    Tensor upload_bytes(const std::vector<uint8_t>& bytes) {
        std::vector<uint32_t> words((bytes.size() + 3) / 4);
        std::memcpy(words.data(), bytes.data(), bytes.size());
        return ids(words);
    }
    ResizeTaps upload(const Taps& taps) {
        std::vector<uint32_t> windows, weights(taps.weights.size());
        for (uint32_t i = 0; i < taps.out_size; ++i) {
            windows.push_back(taps.first[i]);
            windows.push_back(taps.count[i]);
        }
        std::memcpy(weights.data(), taps.weights.data(), weights.size() * 4);
        return {ids(windows), ids(weights), taps.out_size, taps.max_taps};
    }
    Preprocess upload(const PreprocessPlan& plan, Patch patch) {
        Preprocess how{.horizontal = upload(plan.horizontal), .vertical = upload(plan.vertical)};
        std::ranges::copy(plan.scale, how.scale);
        std::ranges::copy(plan.shift, how.shift);
        how.patch_width = patch.width;
        how.patch_height = patch.height;
        return how;
    }
    // (patches, 3 * patch height * patch width)
    std::vector<float> on_device(const PreprocessPlan& plan, const std::vector<uint8_t>& rgb,
                                 Patch patch, Type type) {
        const Image image(device, "frame", plan.source_width, plan.source_height);
        const Preprocess how = upload(plan, patch);
        const Pixels pixels{.bytes = upload_bytes(rgb),
                            .row_bytes = 3 * plan.source_width,
                            .rows = plan.source_height};
        const uint32_t patches = plan.width / patch.width * (plan.height / patch.height);
        return run([&](Commands& c) {
            unpack(c, image, pixels);
            const Tensor y = c.scratch(1, patches, 3 * patch.width * patch.height, type);
            preprocess(c, y, image, how);
            return y;
        });
    }
    // (3, height, width) -> (patches, 3 * patch height * patch width)
    static std::vector<float> patchify(std::span<const float> values, const PreprocessPlan& plan,
                                       Patch patch) {
        std::vector<float> rows;
        for (size_t top = 0; top < plan.height; top += patch.height)
            for (size_t left = 0; left < plan.width; left += patch.width)
                for (size_t c = 0; c < 3; ++c)
                    for (size_t y = top; y < top + patch.height; ++y)
                        for (size_t x = left; x < left + patch.width; ++x)
                            rows.push_back(values[(c * plan.height + y) * plan.width + x]);
        return rows;
    }
    static std::vector<uint8_t> made_up_picture(size_t width, size_t height) {
        std::vector<uint8_t> rgb(width * height * 3);
        for (size_t i = 0; i < rgb.size(); ++i) rgb[i] = uint8_t((i * 167 + i / 251 * 13) & 255);
        return rgb;
    }
    // Windows that wander over the source, weights of both signs that sum to about one, and every
    // fifth output without any tap.
    static Taps made_up_taps(uint32_t in_size, uint32_t out_size) {
        Taps taps;
        taps.out_size = out_size;
        taps.max_taps = std::min(5u, in_size);
        taps.weights.assign(size_t(out_size) * taps.max_taps, 0);
        for (uint32_t i = 0; i < out_size; ++i) {
            const uint32_t count = i % 5 == 4 ? 0 : 1 + i % taps.max_taps;
            taps.first.push_back(i * 7 % (in_size - count + 1));
            taps.count.push_back(count);
            for (uint32_t k = 0; k < count; ++k)
                taps.weights[size_t(i) * taps.max_taps + k] =
                    (k % 2 ? -700001 : (1 << weight_bits) / int32_t(count)) + int32_t(i * 1001);
        }
        return taps;
    }
    static PreprocessPlan made_up_plan(uint32_t source_width, uint32_t source_height,
                                       uint32_t width, uint32_t height) {
        PreprocessPlan plan;
        plan.source_width = source_width;
        plan.source_height = source_height;
        plan.width = width;
        plan.height = height;
        plan.horizontal = made_up_taps(source_width, width);
        plan.vertical = made_up_taps(source_height, height);
        plan.scale = {1 / 57.0f, 1 / 58.0f, 1 / 59.0f};
        plan.shift = {-2.1f, -2.0f, -1.8f};
        return plan;
    }
};

TEST_F(PreprocessTest, matches_integer_loops_for_made_up_taps_and_patches_of_any_shape) {
    struct Case {
        Patch patch;
        uint32_t across, down, source_width, source_height;
    };
    for (const Case& c :
         {Case{{16, 16}, 2, 3, 50, 41}, Case{{14, 14}, 3, 2, 33, 90}, Case{{1, 1}, 19, 11, 7, 5},
          Case{{7, 5}, 3, 4, 64, 64}, Case{{5, 7}, 1, 1, 1, 1}})
        for (Type type : {Type::f32, Type::f16}) {
            const PreprocessPlan plan = made_up_plan(
                c.source_width, c.source_height, c.across * c.patch.width, c.down * c.patch.height);
            const auto rgb = made_up_picture(c.source_width, c.source_height);
            const auto got = on_device(plan, rgb, c.patch, type);
            const auto want = patchify(reference::pixel_values(plan, rgb), plan, c.patch);
            EXPECT_LT(relative_error(got, want), type == Type::f32 ? 1e-6 : 1e-3)
                << "patches of " << c.patch.width << "x" << c.patch.height << " " << name_of(type);
        }
}

TEST_F(PreprocessTest, clamps_sums_below_0_and_above_255) {
    PreprocessPlan plan = made_up_plan(8, 8, 8, 8);
    for (Taps* taps : {&plan.horizontal, &plan.vertical})
        for (int32_t& weight : taps->weights) weight *= 2;
    plan.scale = {1, 1, 1};
    plan.shift = {0, 0, 0};
    const auto rgb = made_up_picture(8, 8);
    const auto got = on_device(plan, rgb, {8, 8}, Type::f32);
    EXPECT_EQ(got, patchify(reference::pixel_values(plan, rgb), plan, {8, 8}));
    EXPECT_EQ(*std::ranges::max_element(got), 255.0f);
    EXPECT_EQ(*std::ranges::min_element(got), 0.0f);
}

TEST_F(PreprocessTest, gives_the_pixel_values_of_transformers) {
    const std::filesystem::path golden = std::filesystem::path(places::tests()) / "golden";
    const PpmPicture picture = read_golden_picture("chelsea");
    const SafetensorsFile file(golden / "vit-nano/golden.safetensors");
    const StoredTensor* stored = file.find("pixel_values");
    ASSERT_NE(stored, nullptr);
    std::vector<float> values(stored->elements());
    read_floats(*stored, 0, values);
    const PreprocessPlan plan =
        Preprocessor::read(golden / "vit-nano").plan(picture.width, picture.height);
    ASSERT_EQ(values.size(), size_t(3) * plan.width * plan.height);
    const auto want = patchify(values, plan, {16, 16});
    for (Type type : {Type::f32, Type::f16}) {
        const auto got = on_device(plan, picture.rgb, {16, 16}, type);
        ASSERT_EQ(got.size(), want.size());
        double worst = 0, sum = 0;  // in 8-bit levels; all channels have the same scale
        for (size_t i = 0; i < got.size(); ++i) {
            const double off = std::abs(double(got[i]) - double(want[i])) / double(plan.scale[0]);
            worst = std::max(worst, off);
            sum += off;
        }
        EXPECT_LE(worst, 1.0) << name_of(type);
        EXPECT_LT(sum / double(got.size()), 0.1) << name_of(type);
    }
}

TEST_F(PreprocessTest, carries_out_every_kind_of_plan_bit_for_bit) {
    const PpmPicture picture = read_golden_picture("chelsea");
    struct Case {
        Preprocessor how;
        Patch patch;
    };
    Preprocessor squash, crop, pad, edges;
    squash.resize = Preprocessor::Resize::fixed;
    squash.size = {56, 70};
    squash.filter = Filter::bicubic;
    crop.resize = Preprocessor::Resize::edges;
    crop.shortest_edge = 64;
    crop.crop = Size{48, 48};
    crop.filter = Filter::bicubic;
    pad = crop;
    pad.shortest_edge = 40;  // the crop is higher than the picture: zeros above and below
    edges.resize = Preprocessor::Resize::edges;
    edges.shortest_edge = 100;
    edges.longest_edge = 120;
    edges.multiple = 16;
    edges.rounding = Rounding::pillow;
    for (const Case& c : {Case{squash, {14, 14}}, Case{crop, {16, 16}}, Case{pad, {16, 16}},
                          Case{edges, {16, 16}}}) {
        PreprocessPlan plan = c.how.plan(picture.width, picture.height);
        plan.scale = {1, 1, 1};  // levels are compared exactly
        plan.shift = {0, 0, 0};
        const auto got = on_device(plan, picture.rgb, c.patch, Type::f32);
        EXPECT_EQ(got, patchify(reference::pixel_values(plan, picture.rgb), plan, c.patch))
            << plan.width << "x" << plan.height;
    }
}

TEST_F(PreprocessTest, refuses_what_is_not_made_of_patches) {
    const PreprocessPlan plan = made_up_plan(8, 8, 32, 16);
    const Image image(device, "frame", 8, 8);
    const Preprocess how = upload(plan, {16, 16}), odd = upload(plan, {14, 16});
    const Tensor y = poisoned(1, 2, 768, Type::f32);
    begin();
    EXPECT_THROW(preprocess(commands, y, image, odd), Error);
    EXPECT_THROW(preprocess(commands, poisoned(1, 3, 768, Type::f32), image, how), Error);
    EXPECT_THROW(preprocess(commands, poisoned(1, 2, 767, Type::f32), image, how), Error);
    EXPECT_THROW(preprocess(commands, poisoned(2, 2, 768, Type::f32), image, how), Error);
    Preprocess longer = how;
    longer.horizontal.size = 48;
    EXPECT_THROW(preprocess(commands, poisoned(1, 3, 768, Type::f32), image, longer), Error)
        << "more outputs than taps";
    finish();
}

// The taps over rows and columns, in double, as patches of 2 x 2.
std::vector<float> blurred(const std::vector<uint8_t>& rgb, uint32_t width, const Taps& across,
                           const Taps& down) {
    auto weight = [](const Taps& taps, uint32_t out, uint32_t tap) {
        return double(taps.weight(size_t(out) * taps.max_taps + tap));
    };
    std::vector<float> patches(size_t(across.out_size) * down.out_size * 3);
    for (uint32_t y = 0; y < down.out_size; ++y)
        for (uint32_t x = 0; x < across.out_size; ++x)
            for (uint32_t c = 0; c < 3; ++c) {
                double sum = 0;
                for (uint32_t i = 0; i < down.count[y]; ++i)
                    for (uint32_t j = 0; j < across.count[x]; ++j)
                        sum += weight(down, y, i) * weight(across, x, j) *
                               rgb[((down.first[y] + i) * size_t(width) + across.first[x] + j) * 3 +
                                   c];
                const size_t patch = y / 2 * (across.out_size / 2) + x / 2;
                patches[patch * 12 + c * 4 + y % 2 * 2 + x % 2] =
                    static_cast<float>(sum * 0.01 * (c + 1) - 0.5);
            }
    return patches;
}

TEST_F(PreprocessTest, pads_blurs_and_interpolates_in_floats_where_it_is_exact) {
    constexpr uint32_t width = 37, height = 23;
    std::vector<uint8_t> rgb(size_t(3) * width * height);
    for (size_t i = 0; i < rgb.size(); ++i) rgb[i] = static_cast<uint8_t>(i * i * 31 % 251);
    // Made a square of 37, of which rows from 23 on are black, then shrunk to 8.
    const Taps across = make_blurred_taps(37, 37, 8, (37.0 / 8 - 1) / 2);
    const Taps down = make_blurred_taps(37, 23, 8, (37.0 / 8 - 1) / 2);
    double sum = 0;
    for (uint32_t i = 0; i < across.count[3]; ++i)
        sum += double(across.weight(size_t(3) * across.max_taps + i));
    EXPECT_NEAR(sum, 1.0, 1e-6);
    EXPECT_EQ(down.count[7], 0u);  // nothing but black

    Preprocess how{.horizontal = upload(across), .vertical = upload(down)};
    for (int c = 0; c < 3; ++c) how.scale[c] = 0.01f * float(c + 1), how.shift[c] = -0.5f;
    how.patch_width = how.patch_height = 2;
    how.exact = true;
    const Image image(device, "frame", width, height);
    const Pixels pixels{.bytes = upload_bytes(rgb), .row_bytes = 3 * width, .rows = height};
    for (Type type : {Type::f32, Type::f16}) {
        const auto y = run([&](Commands& c) {
            unpack(c, image, pixels);
            const Tensor patches = c.scratch(1, 16, 12, type);
            preprocess(c, patches, image, how);
            return patches;
        });
        EXPECT_LT(relative_error(y, blurred(rgb, width, across, down)), tolerance(type));
    }
}

}  // namespace
}  // namespace saccade
