// The page and the reports place labels in the browser, whose letters have other sizes. They do it
// by the rule of the frames: labels.js and place_labels give the same for the same scene.

#include "app/draw/labels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <glm/common.hpp>
#include <iterator>
#include <random>

#include "tests/app/page/browser.h"
#include "tests/places.h"

namespace saccade {
namespace {

using Json = nlohmann::json;

struct Scene {
    std::vector<LabelledBox> boxes;  // strongest first
    std::vector<Rectangle> taken;
};

constexpr Size picture{320, 240};

// Crowds whose boxes often coincide, and reach beyond the picture.
Scene scene(uint32_t seed) {
    std::mt19937 random(seed);
    auto from = [&](float least, float most) {
        return std::round(least + (most - least) * float(random() % 4096) / 4096);
    };
    Scene made;
    for (uint32_t i = 0; i < 4 + seed; ++i) {
        Rectangle box;
        if (i > 0 && random() % 4 == 0) {
            box = made.boxes.back().box;
            box.min += glm::vec2(from(0, 3), from(0, 3));
        } else {
            box.min = {from(-20, 300), from(-20, 220)};
            box.max = box.min + glm::vec2(from(24, 120), from(24, 120));
        }
        made.boxes.push_back({box, {from(20, 80), 16}});
    }
    for (uint32_t i = 0; i < seed % 5; ++i) {
        const glm::vec2 corner(from(0, 250), from(0, 200));
        made.taken.push_back({corner, corner + glm::vec2(from(5, 90), from(5, 60))});
    }
    return made;
}

Json array(const Rectangle& r) { return {r.min.x, r.min.y, r.max.x, r.max.y}; }

// For each box null if it is merged, false if it has no label, or the label's place.
Json of_frames(const Scene& scene) {
    Json all = Json::array();
    for (const PlacedLabel& one : place_labels(scene.boxes, picture, scene.taken))
        all.push_back(one.merged ? Json() : one.place ? array(*one.place) : Json(false));
    return all;
}
Json of_the_page(Browser& browser, const Scene& scene) {
    Json found = Json::array(), taken = Json::array();
    for (size_t i = 0; i < scene.boxes.size(); ++i) {
        const LabelledBox& one = scene.boxes[i];
        const glm::vec2 size(picture);
        const Rectangle inside(glm::clamp(one.box.min, glm::vec2(0), size),
                               glm::clamp(one.box.max, glm::vec2(0), size));
        found.push_back({{"i", i},
                         {"score", 1.0 - double(i) / 1000},
                         {"box", array(one.box)},
                         {"inside", array(inside)},
                         {"extent", {one.label.x, one.label.y}}});
    }
    for (const Rectangle& one : scene.taken) taken.push_back(array(one));
    return browser.evaluate(
        "((found, taken) => { const all = found.map(() => null);"
        "const shown = labels.merge(found);"
        "const items = shown.map((one) => ({...one, box: one.inside}));"
        "labels.arrange(items, {width: " +
        std::to_string(picture.x) + ", height: " + std::to_string(picture.y) +
        "}, taken).forEach((at, i) => { all[shown[i].i] = at ?? false; });"
        "return all; })(" +
        found.dump() + ", " + taken.dump() + ")");
}

TEST(PageLabelsTest, lie_where_those_of_frames_do_in_any_scene) {
    Browser browser;
    std::ifstream file(std::string(places::tests()) + "/../app/page/labels.js");
    ASSERT_TRUE(file);
    browser.evaluate({std::istreambuf_iterator<char>(file), {}});
    size_t without = 0, merged = 0;
    for (uint32_t seed = 0; seed < 40; ++seed) {
        const Scene made = scene(seed);
        const Json want = of_frames(made);
        EXPECT_EQ(of_the_page(browser, made), want) << seed;
        without += size_t(std::ranges::count(want, Json(false)));
        merged += size_t(std::ranges::count(want, Json()));
    }
    EXPECT_GT(without, 20u) << "otherwise the scenes are too simple";
    EXPECT_GT(merged, 20u);
}

}  // namespace
}  // namespace saccade
