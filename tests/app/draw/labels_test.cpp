// The placing of labels: one rule for the host and the device.

#include "app/draw/labels.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <glm/common.hpp>

#include "gpu/ops/draw.h"
#include "shaders/draw/params.h"
#include "tests/gpu/ops/draw/plate_list.h"
#include "tests/gpu/ops/image_test.h"

namespace saccade {
namespace {

constexpr glm::vec2 label{30, 10};

TEST(LabelsTest, the_strongest_has_the_first_choice_and_the_weakest_gives_way) {
    const std::vector<LabelledBox> same(5, {{20, 30, 120, 80}, label});
    std::vector<LabelledBox> boxes = same;
    for (size_t i = 0; i < boxes.size(); ++i)
        boxes[i].box.max.x = 20 + 100 * std::pow(1.4f, float(i));
    const auto placed = place_labels(boxes, {400, 200}, {});
    EXPECT_EQ(placed[0].place, (Rectangle{20, 20, 50, 30})) << "above";
    EXPECT_EQ(placed[1].place, (Rectangle{20, 30, 50, 40})) << "inside at the top";
    EXPECT_EQ(placed[2].place, (Rectangle{20, 80, 50, 90})) << "below";
    EXPECT_EQ(placed[3].place, (Rectangle{20, 70, 50, 80})) << "inside at the bottom";
    EXPECT_FALSE(placed[4].place);
    EXPECT_FALSE(placed[4].merged) << "its box stays";
    for (size_t i = 1; i < same.size(); ++i)
        EXPECT_TRUE(place_labels(same, {400, 200}, {})[i].merged);
}

TEST(LabelsTest, labels_keep_clear_of_other_texts) {
    const std::vector<LabelledBox> one = {{{20, 30, 120, 80}, label}};
    EXPECT_EQ(place_labels(one, {400, 200}, {{0, 0, 400, 35}})[0].place,
              (Rectangle{20, 80, 50, 90}));
    EXPECT_FALSE(place_labels(one, {400, 200}, {{0, 0, 400, 200}})[0].place);
}

TEST(LabelsTest, of_detections_that_almost_coincide_the_strongest_is_shown_and_knows_its_rivals) {
    const std::vector<Detection> found = {
        {.id = 0, .score = 0.6f, .box = {10, 10, 110, 110}},
        {.id = 1, .score = 0.5f, .box = {12, 10, 110, 110}, .query = 1},
        {.id = 0, .score = 0.4f, .box = {10, 10, 80, 110}, .query = 2},
        {.id = 0, .score = 0.3f, .box = {10, 11, 110, 110}, .query = 3}};
    const std::vector<Detection> shown = one_for_each_thing(found);
    ASSERT_EQ(shown.size(), 2u);
    EXPECT_EQ(shown[0].query, 0u);
    EXPECT_EQ(shown[1].query, 2u);
    ASSERT_EQ(rivals_of(shown[0], found).size(), 1u) << "the same name twice says nothing";
    EXPECT_EQ(rivals_of(shown[0], found)[0].id, 1u);
    EXPECT_TRUE(rivals_of(shown[1], found).empty());
}

TEST(LabelsTest, a_text_that_has_to_be_seen_lies_as_near_as_it_can) {
    const glm::vec2 size(40, 10);
    EXPECT_EQ(place_near({50, 50}, size, {200, 100}, {}), (Rectangle{50, 50, 90, 60}));
    EXPECT_EQ(place_near({190, 99}, size, {200, 100}, {}), (Rectangle{160, 90, 200, 100}));
    const std::vector<Rectangle> taken = {{0, 45, 200, 60}};
    EXPECT_EQ(place_near({50, 50}, size, {200, 100}, taken), (Rectangle{50, 60, 90, 70}));
    const std::vector<Rectangle> all = {{0, 0, 200, 100}};
    EXPECT_EQ(place_near({50, 50}, size, {200, 100}, all), (Rectangle{50, 50, 90, 60}));
}

class LabelsOnBothTest : public ImageTest {
protected:
    static constexpr Size image{320, 240};
    static constexpr uint32_t classes = 5;
    static constexpr params::LabelStyle style{
        .line = 12, .margin = 4, .frame_width = 2, .plate = 200};

    // Crowds whose boxes often coincide, and reach beyond the image.
    void scene(size_t count, std::vector<float>& rows, params::BoxSettings& settings) {
        std::vector<float> r = random(6 * count + 40);
        for (float& x : r) x = std::abs(x);
        for (size_t i = 0; i < count; ++i) {
            const float* const x = &r[6 * i];
            const bool again = i > 0 && x[5] < 0.3f;  // nearly the one before
            const float* const before = again ? &rows[7 * (i - 1)] : nullptr;
            const float left = again ? before[0] + 4 * x[0] : 340 * x[0] - 20;
            const float top = again ? before[1] + 4 * x[1] : 260 * x[1] - 20;
            const float right = again ? before[2] + 4 * x[2] : left + 5 + 120 * x[2];
            const float bottom = again ? before[3] : top + 5 + 120 * x[3];
            rows.insert(rows.end(), {left, top, right, bottom, x[4],
                                     std::floor(x[5] * 0.999f * classes), float(i)});
        }
        settings = {};
        settings.threshold = 0.2f;
        settings.most = 60;
        settings.same = same_thing;
        settings.selected = r[6 * count] < 0.5f ? uint32_t(count / 2) : params::no_query;
        settings.taken = uint32_t(5 * r[6 * count + 1]);
        for (uint32_t i = 0; i < settings.taken; ++i) {
            const float* const x = &r[6 * count + 2 + 4 * i];
            const float left = std::round(250 * x[0]), top = std::round(200 * x[1]);
            settings.areas[i] = {left, top, left + 90 * x[2], top + 60 * x[3]};
        }
    }
    static float name_width(uint32_t id) { return 20.0f + 9 * float(id); }
    static constexpr float score_width = 15;

    std::vector<params::Plate> of_device(const std::vector<float>& rows,
                                         const params::BoxSettings& settings) {
        std::vector<params::Run> runs;
        for (uint32_t id = 0; id < classes; ++id)
            runs.push_back({0, 0, uint32_t(name_width(id)), 1});
        for (uint32_t percent = 0; percent <= 100; ++percent)
            runs.push_back({0, 0, uint32_t(score_width), 0});
        std::vector<uint32_t> words_before(words_of<params::BoxSettings>(1));
        std::memcpy(words_before.data(), &settings, sizeof settings);
        const auto count = uint32_t(rows.size() / 7);
        const Tensor in = tensor(1, count, 7, Type::f32, rows);
        const Tensor out = poisoned(1, 1, plate_list_words(3 * count), Type::u32);
        begin();
        const Tensor list =
            box_plates(commands, in, structs(std::vector<uint32_t>(classes, 1u), words_before),
                       structs(runs), classes, image, style);
        commands.copy_bytes(list, out);
        finish();
        return plates_in(words(out));
    }
    struct Row {
        Rectangle box;
        float score;
        uint32_t id, query;
    };
    static std::vector<Row> strongest_first(const std::vector<float>& rows,
                                            const params::BoxSettings& settings) {
        std::vector<Row> shown;
        for (size_t i = 0; i < rows.size(); i += 7) {
            const float* const x = &rows[i];
            const glm::vec2 from =
                glm::clamp(glm::round(glm::vec2(x[0], x[1])), {}, glm::vec2(image));
            const glm::vec2 to =
                glm::clamp(glm::round(glm::vec2(x[2], x[3])), {}, glm::vec2(image));
            if (x[4] > settings.threshold && from.x < to.x && from.y < to.y)
                shown.push_back({{x[0], x[1], x[2], x[3]}, x[4], uint32_t(x[5]), uint32_t(x[6])});
        }
        auto strength = [&](const Row& row) {
            return row.score + (row.query == settings.selected ? 2.0f : 0.0f);
        };
        std::ranges::stable_sort(shown, std::greater(), strength);
        if (shown.size() > settings.most) shown.resize(settings.most);
        return shown;
    }
};

TEST_F(LabelsOnBothTest, the_device_places_as_the_host_does_in_any_scene) {
    size_t merged = 0, without = 0, placed = 0;
    for (size_t number = 0; number < 60; ++number) {
        std::vector<float> rows;
        params::BoxSettings settings;
        scene(4 + number, rows, settings);
        const std::vector<params::Plate> plates = of_device(rows, settings);
        const std::vector<Row> shown = strongest_first(rows, settings);
        ASSERT_EQ(plates.size(), 3 * shown.size()) << number;
        std::vector<LabelledBox> boxes;
        for (const Row& row : shown)
            boxes.push_back({row.box, {name_width(row.id) + score_width + 3 * 4, 16}});
        std::vector<Rectangle> taken;
        for (uint32_t i = 0; i < settings.taken; ++i) {
            const params::Area& area = settings.areas[i];
            taken.push_back({area.left, area.top, area.right, area.bottom});
        }
        const std::vector<PlacedLabel> want = place_labels(boxes, image, taken);
        for (size_t i = 0; i < want.size(); ++i) {
            const size_t at = want.size() - 1 - i;
            const params::Plate &box = plates[at], &name = plates[want.size() + 2 * at],
                                &score = plates[want.size() + 2 * at + 1];
            EXPECT_EQ(box.left == box.right, want[i].merged) << number << ", box " << i;
            EXPECT_EQ(name.left < score.right, want[i].place.has_value()) << number << ", " << i;
            merged += want[i].merged;
            without += !want[i].merged && !want[i].place;
            if (!want[i].place) continue;
            ++placed;
            EXPECT_EQ((Rectangle{name.left, name.top, score.right, score.bottom}), *want[i].place)
                << number << ", label " << i;
        }
    }
    EXPECT_GT(merged, 50u) << "otherwise the scenes are too simple";
    EXPECT_GT(without, 20u);
    EXPECT_GT(placed, 300u);
}

}  // namespace
}  // namespace saccade
