#include "app/batch/lines/coco_categories.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "models/files/json.h"
#include "tests/places.h"

namespace saccade {
namespace {

TEST(CocoCategories, are_the_numbers_of_cocos_own_files) {
    EXPECT_EQ(coco_category("person"), 1u);
    EXPECT_EQ(coco_category("stop sign"), 13u);
    EXPECT_EQ(coco_category("teddy bear"), 88u);
    EXPECT_EQ(coco_category("toothbrush"), 90u);
    EXPECT_EQ(coco_category("sofa"), coco_category("couch"));
    EXPECT_EQ(coco_category("N/A"), std::nullopt);
    EXPECT_EQ(coco_category("unicorn"), std::nullopt);
}

TEST(CocoCategories, know_every_class_of_the_bundled_detector_once) {
    const auto folder =
        std::filesystem::path(places::tests()).parent_path() / "models" / "pretrained";
    std::set<uint32_t> numbers;
    const Json config = read_json(folder / "photo-detector" / "config.json");
    for (const auto& [id, label] : config.at("id2label").items()) {
        const auto number = coco_category(label.get<std::string>());
        ASSERT_TRUE(number) << label;
        EXPECT_TRUE(numbers.insert(*number).second) << label;
    }
    EXPECT_EQ(numbers.size(), 80u);
}

}  // namespace
}  // namespace saccade
