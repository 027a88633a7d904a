#include "app/serve/picture_message.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace saccade {
namespace {

// The JSON of the message that a viewer gets.
nlohmann::json message_for(uint32_t viewer, const ServedFrame& frame) {
    std::vector<unsigned char> bytes;
    append_picture_message(bytes, frame, viewer, 1, 2);
    size_t length = 0;
    for (int i = 3; i >= 0; --i) length = length << 8 | bytes[size_t(i)];
    return nlohmann::json::parse(bytes.begin() + 4, bytes.begin() + 4 + std::ptrdiff_t(length));
}

TEST(PictureMessageTest, points_come_with_what_their_colours_mean_to_whom_they_are_for) {
    MapOnHost map;
    map.looker.token = Looker::Token::query;
    map.whose = 7;
    map.count = 1;
    map.geometry.grid = {2, 1};
    map.cells = {0.25f, 0.75f};
    map.points = {{{10, 20}, 0.25f, 0}, {{30, 40}, 0.75f, 1}};
    map.levels = {{80, 60}, {40, 30}};
    ServedFrame frame;
    frame.line = "{}";
    frame.maps = {map};
    const nlohmann::json json = message_for(7, frame)["map"];
    ASSERT_EQ(json["points"].size(), 2u);
    EXPECT_EQ(json["points"][1], (nlohmann::json{30.0, 40.0, 0.75, 1}));
    ASSERT_EQ(json["point_colours"].size(), 2u);
    EXPECT_NE(json["point_colours"][0], json["point_colours"][1]);
    EXPECT_EQ(json["points_on"], "maps of 80 \u00d7 60 (cyan) and 40 \u00d7 30 (green)");
    EXPECT_TRUE(message_for(8, frame)["map"].is_null()) << "of another viewer";

    frame.maps[0].points.clear();
    for (const char* key : {"points", "point_colours", "points_on"})
        EXPECT_FALSE(message_for(7, frame)["map"].contains(key)) << key;
}

TEST(PictureMessageTest, effects_have_signs_and_what_is_known_of_their_target) {
    MapOnHost map;
    map.whose = 7;
    map.count = 1;
    map.geometry.grid = {3, 1};
    map.cells = {0.5f, 0, -0.25f};
    map.cause = {.kind = "detection", .label = "dog", .unit = "score times overlap"};
    map.cause->effects = {{0.125f}};
    map.cause->methods = {{.name = "cause", .words = "the fifth", .deletion_area = 0.25}};
    ServedFrame frame;
    frame.line = "{}";
    frame.maps = {map};
    const nlohmann::json json = message_for(7, frame)["map"];
    EXPECT_EQ(json["kind"], "cause");
    EXPECT_EQ(json["largest"], nlohmann::json({0.5}));
    EXPECT_EQ(json["cause"]["label"], "dog");
    EXPECT_EQ(json["cause"]["effects"], nlohmann::json({{0.125}}));
    EXPECT_EQ(json["cause"]["methods"][0]["deletion"], 0.25);
    std::vector<unsigned char> bytes;
    append_picture_message(bytes, frame, 7, 1, 2);
    // The levels are the last bytes: 127 steps to either side of 128.
    EXPECT_EQ(std::vector<int>(bytes.end() - 3, bytes.end()), (std::vector<int>{255, 128, 64}));
}

}  // namespace
}  // namespace saccade
