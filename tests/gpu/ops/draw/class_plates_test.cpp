#include <cmath>

#include "gpu/ops/draw.h"
#include "gpu/ops/rows.h"
#include "shaders/draw/params.h"
#include "tests/gpu/ops/draw/plate_list.h"
#include "tests/gpu/ops/image_test.h"

namespace saccade {
namespace {

class ClassPlatesTest : public ImageTest {
protected:
    static constexpr uint32_t classes = 10;
    static constexpr ClassPanel panel{
        .left = 100,
        .top = 10,
        .width = 80,
        .paper = 0x80000000,
        .ink = 0xffffffff,
        .style = {.line = 12, .margin = 3, .frame_width = 2, .plate = 200}};

    std::vector<params::Plate> plates(const std::vector<float>& scores,
                                      const std::vector<uint32_t>& labels, uint32_t most) {
        std::vector<params::Run> runs;
        for (uint32_t id = 0; id < classes; ++id) runs.push_back({0, 0, 30, 0xff000000 + id});
        for (uint32_t percent = 0; percent <= 100; ++percent) runs.push_back({0, 0, 16, 0});
        const auto count = uint32_t(scores.size());
        const Top top{tensor(1, 1, count, Type::f32, scores), ids(labels)};
        const Tensor out = poisoned(1, 1, plate_list_words(1 + 4 * count), Type::u32);
        begin();
        const Tensor list =
            class_plates(commands, top, structs(std::vector{params::ClassSettings{most}}),
                         structs(runs), classes, panel);
        commands.copy_bytes(list, out);
        finish();
        return plates_in(words(out));
    }
};

TEST_F(ClassPlatesTest, each_class_has_its_name_its_score_and_a_bar_as_long_as_that) {
    const auto list = plates({0.75f, 0.2f, 0.004f}, {7, 2, 0}, 3);
    ASSERT_EQ(list.size(), 1u + 3 * 4);
    EXPECT_EQ(list[0].left, 100);
    EXPECT_EQ(list[0].right, 180);
    EXPECT_EQ(list[0].fill, panel.paper);
    for (uint32_t rank = 0; rank < 3; ++rank) {
        const params::Plate *track = &list[1 + 4 * rank], *bar = track + 1, *name = track + 2,
                            *score = track + 3;
        EXPECT_EQ(track->left, 106);
        EXPECT_EQ(track->right, 174);
        EXPECT_EQ(bar->left, 106);
        EXPECT_NEAR(bar->right, 106 + 68 * (rank == 0 ? 0.75f : rank == 1 ? 0.2f : 0.004f), 1e-4);
        EXPECT_EQ(bar->fill, 0xff000000u + (rank == 0 ? 7 : rank == 1 ? 2 : 0));
        EXPECT_EQ(name->run, rank == 0 ? 7u : rank == 1 ? 2u : 0u);
        EXPECT_EQ(score->run, classes + (rank == 0 ? 75 : rank == 1 ? 20 : 0));
        EXPECT_EQ(score->right, 174);
        EXPECT_LT(name->right, score->left) << "a long name ends before the score";
        EXPECT_EQ(name->bottom, bar->top);
        EXPECT_LE(bar->bottom, list[0].bottom);
        const float above = rank == 0 ? panel.top : list[4 * rank - 2].bottom;
        EXPECT_GE(name->top, above) << "below the bar before";
    }
}

TEST_F(ClassPlatesTest, only_as_many_are_shown_as_are_wanted) {
    EXPECT_EQ(plates({0.75f, 0.2f}, {7, 2}, 1).size(), 5u);
    EXPECT_EQ(plates({0.75f, 0.2f}, {7, 2}, 0).size(), 0u);
    EXPECT_EQ(plates({0.75f, 0.2f}, {7, 2}, 100).size(), 9u);
}

TEST_F(ClassPlatesTest, a_rank_without_a_class_has_neither_name_nor_score) {
    for (const auto& list : {plates({0.0f}, {UINT32_MAX}, 1), plates({NAN}, {3}, 1)}) {
        EXPECT_EQ(list[2].left, list[2].right);
        EXPECT_EQ(list[3].run, params::no_run);
        EXPECT_EQ(list[4].run, params::no_run);
    }
}

TEST_F(ClassPlatesTest, refuses_more_than_one_picture) {
    const Tensor words = poisoned(1, 1, 1000, Type::u32);
    begin();
    EXPECT_THROW(
        class_plates(commands, {random_tensor(1, 2, 5, Type::f32), poisoned(1, 2, 5, Type::u32)},
                     words, words, classes, panel),
        Error);
    EXPECT_THROW(
        class_plates(commands, {random_tensor(1, 1, 5, Type::f32), poisoned(1, 1, 4, Type::u32)},
                     words, words, classes, panel),
        Error);
    finish();
}

}  // namespace
}  // namespace saccade
