#include "models/picture/picture_input.h"

#include "gpu/ops/elementwise.h"
#include "gpu/transfer/frame.h"
#include "tests/gpu_test.h"

namespace saccade {
namespace {

class PictureInputTest : public GpuTest {
protected:
    // OWLv2's preprocessing of a frame, with padding of this level.
    std::vector<float> values(const std::vector<uint8_t>& rgb, Size size, float padding,
                              Type type) {
        Preprocessor p;
        p.resize = Preprocessor::Resize::fixed;
        p.size = {16, 16};
        p.blurs = p.square = true;
        p.padding = padding;
        p.rescale_factor = 1.0 / 255.0;
        p.mean = {0.48, 0.46, 0.41};
        p.std_dev = {0.27, 0.26, 0.28};
        PictureInput input(device, p, {4, 4});
        input.prepare(size);
        Frame frame(device, size.x, size.y, false);
        frame.write({rgb.data(), size.x, size.y, 3 * size.x, false});
        return run([&](Commands& c) {
            const Tensor y = c.scratch(1, input.patches(), input.patch_columns(), Type::f32);
            const Tensor patches = c.scratch(1, y.rows, y.columns, type);
            frame.record(c);
            input.record(c, patches, frame.image());
            copy(c, y, patches);
            return y;
        });
    }
};

TEST_F(PictureInputTest, padding_is_as_if_the_frame_had_pixels_of_its_level_there) {
    constexpr uint8_t grey = 128;
    for (const Size& size : {Size(24, 13), Size(11, 24)}) {
        const uint32_t side = std::max(size.x, size.y);
        std::vector<uint8_t> rgb, square(size_t(3) * side * side, grey);
        for (uint32_t i = 0; i < 3 * area(size); ++i) rgb.push_back(uint8_t(i * 37 % 251));
        for (uint32_t y = 0; y < size.y; ++y)
            std::copy_n(&rgb[size_t(3) * y * size.x], 3 * size.x, &square[size_t(3) * y * side]);
        const std::vector<float> want = values(square, Size(side), 0, Type::f32);
        EXPECT_LT(relative_error(values(rgb, size, grey, Type::f32), want), 1e-5);
        EXPECT_LT(relative_error(values(rgb, size, grey, Type::f16), want), 2e-3);
        EXPECT_GT(relative_error(values(rgb, size, 0, Type::f32), want), 0.1);
    }
}

TEST_F(PictureInputTest, without_antialiasing_few_pixels_count) {
    Preprocessor p;
    p.resize = Preprocessor::Resize::fixed;
    p.size = {2, 3};
    p.antialias = false;
    const PreprocessPlan plan = p.plan(8, 9);
    // The middle of the first of two outputs lies between the second and the third of eight
    // pixels, that of three on the second of nine.
    EXPECT_EQ(plan.horizontal.first, (std::vector<uint32_t>{1, 5}));
    EXPECT_EQ(plan.horizontal.count, (std::vector<uint32_t>{2, 2}));
    EXPECT_EQ(plan.horizontal.weight(0), 0.5f);
    EXPECT_EQ(plan.vertical.first, (std::vector<uint32_t>{1, 4, 7}));
    EXPECT_EQ(plan.vertical.weight(0), 1.0f);
}

TEST_F(PictureInputTest, what_was_recorded_for_one_size_runs_while_others_are_prepared) {
    Preprocessor p;
    p.resize = Preprocessor::Resize::fixed;
    p.size = {16, 16};
    const Size size(24, 13);
    std::vector<uint8_t> rgb;
    for (uint32_t i = 0; i < 3 * area(size); ++i) rgb.push_back(uint8_t(i * 37 % 251));
    Frame frame(device, size.x, size.y, false);
    frame.write({rgb.data(), size.x, size.y, 3 * size.x, false});
    auto patches = [&](bool others) {
        PictureInput input(device, p, {4, 4});
        EXPECT_TRUE(input.prepare(size));
        return run([&](Commands& c) {
            frame.record(c);
            const Tensor y = c.scratch(1, input.patches(), input.patch_columns(), Type::f32);
            input.record(c, y, frame.image());
            for (uint32_t i = 0; others && i < 7; ++i) EXPECT_TRUE(input.prepare({9 + i, 30}));
            return y;
        });
    };
    EXPECT_EQ(patches(true), patches(false));
}

TEST_F(PictureInputTest, a_picture_of_another_size_than_was_prepared_is_refused) {
    const Image image(device, "frame", 13, 24);
    for (const auto resize : {Preprocessor::Resize::fixed, Preprocessor::Resize::tiles}) {
        Preprocessor p;
        p.resize = resize;
        p.size = {16, 16};
        p.longest_edge = 16;
        p.tile = 8;
        PictureInput input(device, p, {4, 4});
        input.prepare({24, 13});
        begin();
        const Tensor patches =
            commands.scratch(input.tile_count(), input.patches(), input.patch_columns(), Type::f32);
        EXPECT_THROW(input.record_tiles(commands, patches, 0, image), Error);
        finish();
    }
}

}  // namespace
}  // namespace saccade
