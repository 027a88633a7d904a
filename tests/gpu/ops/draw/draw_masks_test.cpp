#include "gpu/ops/boxes.h"
#include "gpu/ops/draw.h"
#include "shaders/draw/params.h"
#include "tests/gpu/ops/image_test.h"

namespace saccade {
namespace {

using DrawMasksTest = ImageTest;

TEST_F(DrawMasksTest, tints_what_lies_inside_of_masks_that_are_shown) {
    // Two objects: the left half is of class 1, the right half of class 0.
    const Tensor masks = tensor(1, 2, 4, Type::f32, std::vector<float>{9, -9, 9, -9, -9, 9, -9, 9});
    const Tensor found = tensor(1, 2, 7, Type::f32,
                                std::vector<float>{0, 0, 4, 4, 0.9f, 1, 5, 4, 0, 8, 4, 0.8f, 0, 6});
    const std::vector<params::Run> runs = {{0, 0, 0, 0xff0000ffu}, {0, 0, 0, 0xff00ff00u}};
    const Picture grey(8, 4, {100, 100, 100});
    auto draw = [&](float threshold, uint32_t shown, uint32_t most) {
        params::BoxSettings settings{};
        settings.threshold = threshold;
        settings.most = most;
        std::vector<uint32_t> words(words_of<params::BoxSettings>(1));
        std::memcpy(words.data(), &settings, sizeof settings);
        words.insert(words.end(), {shown, 1u});  // class 0, class 1
        const Tensor ts = ids(words), tr = structs(runs), list = poisoned(1, 2, 2, Type::u32);
        return drawn(grey, [&](Commands& c, const Image& image) {
            best_queries_into(c, list, found);
            draw_masks(c, image, {masks, list, {2, 2}}, found, ts, tr, 2);
        });
    };
    const Pixel green{55, 170, 55}, red{170, 55, 55}, none{100, 100, 100};
    auto expect = [&](const Picture& picture, Pixel left, Pixel right) {
        Picture want = grey;
        for (uint32_t y = 0; y < 4; ++y)
            for (uint32_t x = 0; x < 8; ++x) want.at(x, y) = x < 4 ? left : right;
        EXPECT_LE(picture.distance(want), 1);
    };
    expect(draw(0.5f, 1, 9), green, red);
    expect(draw(0.5f, 0, 9), green, none);
    expect(draw(0.85f, 1, 9), green, none);
    expect(draw(0.5f, 1, 1), green, none);
    expect(draw(0.5f, 1, 0), none, none);
}

}  // namespace
}  // namespace saccade
