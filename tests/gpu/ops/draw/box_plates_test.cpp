#include <algorithm>
#include <cmath>
#include <cstring>

#include "gpu/ops/draw.h"
#include "shaders/draw/params.h"
#include "tests/gpu/ops/draw/plate_list.h"
#include "tests/gpu/ops/image_test.h"

namespace saccade {
namespace {

struct Found {
    float left, top, right, bottom, score, label;
};

class BoxPlatesTest : public ImageTest {
protected:
    static constexpr uint32_t classes = 3;
    static constexpr Size frame{200, 100};
    static constexpr params::LabelStyle style{
        .line = 8, .margin = 2, .frame_width = 2, .plate = 200};
    static constexpr uint32_t name_width = 20, score_width = 12;  // of the runs below

    std::vector<params::Plate> plates(const std::vector<Found>& found) {
        std::vector<float> rows;
        for (size_t i = 0; i < found.size(); ++i) {
            const Found& f = found[i];
            const size_t query = queries.empty() ? i : queries[i];
            rows.insert(rows.end(),
                        {f.left, f.top, f.right, f.bottom, f.score, f.label, float(query)});
        }
        std::vector<params::Run> runs;
        for (uint32_t id = 0; id < classes; ++id)
            runs.push_back({0, 0, name_width, 0xff000000 + id});
        for (uint32_t percent = 0; percent <= 100; ++percent)
            runs.push_back({0, 0, score_width, 0});
        std::vector<uint32_t> mask(classes);
        for (uint32_t id = 0; id < classes; ++id) mask[id] = id != hidden;
        std::vector<uint32_t> settings_words(words_of<params::BoxSettings>(1));
        std::memcpy(settings_words.data(), &settings, sizeof settings);
        const Tensor in = tensor(1, uint32_t(found.size()), 7, Type::f32, rows);
        const Tensor out = poisoned(1, 1, plate_list_words(3 * uint32_t(found.size())), Type::u32);
        begin();
        const Tensor list = box_plates(commands, in, structs(mask, settings_words), structs(runs),
                                       classes, frame, style);
        commands.copy_bytes(list, out);
        finish();
        return plates_in(words(out));
    }
    // The boxes alone, as the queries that they came from, worst first.
    std::vector<int> order(const std::vector<Found>& found) {
        const auto list = plates(found);
        std::vector<int> result;
        for (size_t i = 0; i < list.size() / 3; ++i) result.push_back(int(list[i].left));
        return result;
    }

    static params::BoxSettings all_above(float threshold, uint32_t most = 100) {
        params::BoxSettings all{};
        all.threshold = threshold;
        all.most = most;
        all.selected = params::no_query;
        all.same = 1;
        return all;
    }

    params::BoxSettings settings = all_above(0.5f);
    uint32_t hidden = UINT32_MAX;
    std::vector<uint32_t> queries;  // of the rows; empty: they are in order
};

// Boxes that differ in their left edge.
Found box(float left, float score, float label = 0) {
    return {left, 40, left + 10, 60, score, label};
}

TEST_F(BoxPlatesTest, a_detection_becomes_a_box_and_above_it_a_label_and_a_score) {
    const auto list = plates({{20.4f, 30.6f, 120.2f, 80, 0.876f, 2}});
    ASSERT_EQ(list.size(), 3u);
    EXPECT_EQ(list[0].left, 20);
    EXPECT_EQ(list[0].top, 31);
    EXPECT_EQ(list[0].right, 120);
    EXPECT_EQ(list[0].bottom, 80);
    EXPECT_EQ(list[0].frame, 0xff000002u);
    EXPECT_EQ(list[0].frame_width, 2);
    EXPECT_EQ(list[0].fill, 0u);
    EXPECT_EQ(list[0].run, params::no_run);

    EXPECT_EQ(list[1].left, 20);
    EXPECT_EQ(list[1].bottom, 31) << "right above the box";
    EXPECT_EQ(list[1].top, 21);
    EXPECT_EQ(list[1].right, 20 + 2 + name_width + 2);
    EXPECT_EQ(list[1].run, 2u);
    EXPECT_EQ(list[1].text_x, 22);
    EXPECT_EQ(list[1].text_y, 22);
    EXPECT_EQ(list[1].fill, 0xc8000002u);
    EXPECT_EQ(list[2].left, list[1].right) << "the score follows";
    EXPECT_EQ(list[2].right, list[1].right + score_width + 2);
    EXPECT_EQ(list[2].run, classes + 88);
    EXPECT_EQ(list[2].text_x, int(list[2].left));
}

TEST_F(BoxPlatesTest, threshold_classes_and_number_are_obeyed_and_the_best_come_last) {
    const std::vector<Found> found = {box(10, 0.9f, 1), box(20, 0.5f), box(30, 0.95f, 2),
                                      box(40, 0.51f),   box(50, 0.7f), box(60, 0.1f)};
    EXPECT_EQ(order(found), (std::vector{40, 50, 10, 30})) << "the threshold itself is too little";
    settings.most = 2;
    EXPECT_EQ(order(found), (std::vector{10, 30}));
    hidden = 1;
    EXPECT_EQ(order(found), (std::vector{50, 30})) << "a hidden class takes no place";
    settings.threshold = 0.97f;
    EXPECT_TRUE(order(found).empty());
    settings = all_above(0, 0);
    EXPECT_TRUE(order(found).empty());
}

TEST_F(BoxPlatesTest, of_equal_scores_the_first_query_is_the_better) {
    settings.most = 2;
    EXPECT_EQ(order({box(10, 0.8f), box(20, 0.8f), box(30, 0.8f)}), (std::vector{20, 10}));
}

TEST_F(BoxPlatesTest, many_queries_are_ranked_as_a_sort_does_it) {
    const std::vector<float> scores = random(300);
    std::vector<Found> found;
    for (uint32_t i = 0; i < 300; ++i) found.push_back(box(float(i % 150), scores[i]));
    settings.threshold = 0.25f;
    settings.most = 40;
    std::vector<uint32_t> want(300);
    for (uint32_t i = 0; i < 300; ++i) want[i] = i;
    std::ranges::stable_sort(want, std::greater(), [&](uint32_t i) { return scores[i]; });
    want.resize(40);
    std::ranges::reverse(want);
    std::vector<int> lefts;
    for (uint32_t i : want) lefts.push_back(int(i % 150));
    EXPECT_EQ(order(found), lefts);
}

TEST_F(BoxPlatesTest, what_is_not_a_number_or_not_in_the_frame_is_left_out) {
    settings.threshold = 0;
    const std::vector<Found> found = {
        {NAN, 0, 5, 5, 0.9f, 0},   {0, 0, INFINITY, 5, 0.9f, 0}, {0, 0, 5, 5, NAN, 0},
        {0, 0, 5, 5, 0.9f, NAN},   {0, 0, 5, 5, 0.9f, -1},       {0, 0, 5, 5, 0.9f, 3},
        {20, 20, 10, 10, 0.9f, 0}, {-50, 5, -10, 30, 0.9f, 0},   {10, 120, 30, 140, 0.9f, 0},
        {7, 3, 7.2f, 9, 0.9f, 0},  {77, 10, 90, 20, 0.8f, 1},
    };
    EXPECT_EQ(order(found), std::vector{77});
}

TEST_F(BoxPlatesTest, everything_lies_inside_of_the_frame) {
    const auto list = plates({{-1e6f, -1e6f, 1e6f, 1e6f, 0.9f, 0},
                              {195, -3, 300, 40, 0.8f, 1},
                              {-20, 90, 4, 300, 0.7f, 2},
                              {150, 99, 260, 101, 0.6f, 0}});
    ASSERT_EQ(list.size(), 12u);
    for (const params::Plate& plate : list) {
        EXPECT_GE(plate.left, 0);
        EXPECT_GE(plate.top, 0);
        EXPECT_LE(plate.right, 200);
        EXPECT_LE(plate.bottom, 100);
        EXPECT_LT(plate.left, plate.right);
        EXPECT_LT(plate.top, plate.bottom);
    }
}

TEST_F(BoxPlatesTest, a_label_without_room_above_goes_inside_and_one_that_is_covered_elsewhere) {
    const auto at_top = plates({{20, 3, 120, 80, 0.9f, 0}});
    EXPECT_EQ(at_top[1].top, 3);
    // Two boxes in one place: the better has its label above, the other inside.
    const auto twice = plates({{20, 30, 120, 80, 0.8f, 1}, {20, 30, 120, 80, 0.9f, 0}});
    EXPECT_EQ(twice[4].run, 0u) << "the better comes last";
    EXPECT_EQ(twice[4].bottom, 30);
    EXPECT_EQ(twice[2].top, 30);
    // Three: the third goes below, the fourth inside at the bottom, and the fifth has no label.
    const Found one{20, 30, 120, 80, 0.9f, 0};
    std::vector<Found> five(5, one);
    for (size_t i = 0; i < 5; ++i) five[i].score -= 0.05f * float(i);
    const auto list = plates(five);
    EXPECT_EQ(list[5 + 2 * 2].top, 80);
    EXPECT_EQ(list[5 + 2 * 1].bottom, 80);
    for (const params::Plate& plate : {list[5], list[6]}) {
        EXPECT_EQ(plate.left, plate.right) << "the weakest gives way";
        EXPECT_EQ(plate.top, plate.bottom);
    }
    EXPECT_EQ(list[0].right, 120) << "to its box";
}

TEST_F(BoxPlatesTest, boxes_that_almost_coincide_are_one_thing) {
    settings.same = 0.8f;
    const auto list = plates({{20, 30, 120, 80, 0.7f, 1},    //
                              {21, 30, 120, 81, 0.9f, 0},    //
                              {20, 30, 100, 70, 0.8f, 2}});  // IoU below 0.64
    ASSERT_EQ(list.size(), 9u);
    EXPECT_EQ(list[0].left, list[0].right) << "the weakest of them";
    EXPECT_EQ(list[3].left, list[3].right) << "and its label";
    EXPECT_LT(list[1].left, list[1].right);
    EXPECT_LT(list[2].left, list[2].right);
    settings.selected = 0;
    EXPECT_EQ(plates({{20, 30, 120, 80, 0.7f, 1}, {21, 30, 120, 81, 0.9f, 0}})[1].left, 20)
        << "the one that somebody asks about is the strongest";
}

TEST_F(BoxPlatesTest, labels_keep_clear_of_what_is_taken) {
    const Found one{20, 30, 120, 80, 0.9f, 0};
    settings.taken = 2;
    settings.areas[0] = {0, 0, 25, 25};
    settings.areas[1] = {25, 35, 26, 36};
    EXPECT_EQ(plates({one})[1].top, 80) << "neither above nor inside";
    settings.taken = 1;
    EXPECT_EQ(plates({one})[1].top, 30) << "inside";
}

TEST_F(BoxPlatesTest, the_selected_query_stands_out_and_lies_on_top) {
    settings.selected = 1;
    const auto list = plates({box(10, 0.9f), box(20, 0.8f)});
    EXPECT_EQ(list[1].left, 20);
    EXPECT_EQ(list[1].frame, 0xffffffffu);
    EXPECT_EQ(list[1].frame_width, 4);
    EXPECT_EQ(list[0].frame_width, 2);
}

TEST_F(BoxPlatesTest, the_selected_query_is_known_by_its_number_and_not_by_its_row) {
    queries = {7, 299, 0};  // detectors that pick classes have the best first
    const std::vector<Found> found = {box(10, 0.9f), box(20, 0.8f), box(30, 0.7f)};
    auto standing_out = [&] {
        std::vector<int> lefts;
        for (const params::Plate& plate : plates(found))
            if (plate.frame == 0xffffffffu) lefts.push_back(int(plate.left));
        return lefts;
    };
    settings.selected = 299;
    EXPECT_EQ(standing_out(), std::vector{20});
    settings.selected = 0;
    EXPECT_EQ(standing_out(), std::vector{30});
    settings.selected = 1;  // a row, but the number of no query
    EXPECT_TRUE(standing_out().empty());
}

TEST_F(BoxPlatesTest, refuses_shapes_that_do_not_fit) {
    const Tensor words = poisoned(1, 1, 1000, Type::u32);
    begin();
    EXPECT_THROW(
        box_plates(commands, random_tensor(1, 5, 6, Type::f32), words, words, 3, frame, style),
        Error);
    EXPECT_THROW(
        box_plates(commands, random_tensor(1, 5, 7, Type::f16), words, words, 3, frame, style),
        Error);
    EXPECT_THROW(
        box_plates(commands, random_tensor(1, 5, 7, Type::f32), words, words, 2000, frame, style),
        Error);
    finish();
}

}  // namespace
}  // namespace saccade
