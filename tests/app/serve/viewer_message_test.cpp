#include "app/serve/viewer_message.h"

#include <gtest/gtest.h>

namespace saccade {
namespace {

TEST(ViewerMessageTest, are_read_as_they_are_meant) {
    EXPECT_EQ(read_viewer_message(R"({"taken": 12})")->taken, 12u);
    EXPECT_EQ(read_viewer_message(R"({"clock": 1.5})")->clock, 1.5);
    EXPECT_FALSE(read_viewer_message("{}")->looks);

    const auto look = read_viewer_message(
        R"({"look": {"mode": "head", "layer": 3, "head": 1, "point": [10, 20.5]}})");
    ASSERT_TRUE(look && look->look);
    EXPECT_EQ(look->look->attention.mode, AttentionMode::head);
    EXPECT_EQ(look->look->attention.layer, 3u);
    EXPECT_EQ(look->look->attention.head, 1u);
    EXPECT_EQ(look->look->target.point, glm::vec2(10, 20.5f));
    EXPECT_EQ(look->look->model, MapModel::detector);
    EXPECT_EQ(
        read_viewer_message(R"({"look": {"mode": "mean", "ask": "classifier"}})")->look->model,
        MapModel::classifier);
    EXPECT_FALSE(read_viewer_message(R"({"look": {"mode": "mean", "ask": "captioner"}})"));
    EXPECT_EQ(read_viewer_message(R"({"look": {"mode": "colours"}})")->look->attention.mode,
              AttentionMode::colours);
    const auto none = read_viewer_message(R"({"look": null})");
    EXPECT_TRUE(none->looks && !none->look);

    const auto set = read_viewer_message(
        R"({"set": {"detector": "x", "threshold": 0.25, "frozen": true, "detector_stride": 2,
             "seek": 12}})");
    EXPECT_EQ(set->wish.detector, "x");
    EXPECT_EQ(set->wish.seek, 12u);
    EXPECT_EQ(set->wish.threshold, 0.25f);
    EXPECT_TRUE(set->wish.switches.at("frozen"));
    EXPECT_EQ(set->wish.detector_stride, 2u);
    EXPECT_FALSE(set->wish.captioner);
    EXPECT_FALSE(read_viewer_message(R"({"set": {"detector": "x"}})")->wish.seek);

    const auto track = read_viewer_message(R"({"look": {"mode": "mean", "query": 3, "track": 7}})");
    EXPECT_EQ(track->look->target.query, 3u);
    EXPECT_EQ(track->look->track, 7u);
    EXPECT_EQ(read_viewer_message(R"({"set": {"track": true}})")->wish.switches.at("track"), true);
    const auto drawn = read_viewer_message(
        R"({"set": {"regions": {"size": [640, 480],
            "lines": [{"name": "door", "from": [1, 2], "to": [3, 4], "point": "top"}],
            "zones": [{"name": "yard", "corners": [[0, 0], [9, 0], [9, 9]]}]}}})");
    ASSERT_TRUE(drawn && drawn->wish.regions);
    EXPECT_EQ(drawn->wish.regions->size, Size(640, 480));
    ASSERT_EQ(drawn->wish.regions->all.size(), 2u);
    EXPECT_EQ(drawn->wish.regions->all[0].anchor, Anchor::top);
    EXPECT_TRUE(drawn->wish.regions->all[1].zone);
    EXPECT_EQ(read_viewer_message(R"({"set": {"regions": null}})")->wish.regions, Regions());

    const auto typed = read_viewer_message(
        R"({"set": {"find": "red mug, my cat", "question": "", "least_scores": {"my cat": 0.2}}})");
    EXPECT_EQ(typed->wish.find, "red mug, my cat");
    EXPECT_EQ(typed->wish.question, "");
    EXPECT_FALSE(typed->wish.labels);
    EXPECT_EQ(typed->wish.least_scores.at("my cat"), 0.2f);
    const auto heads = read_viewer_message(
        R"({"set": {"heads_on": true, "heads": [["captioner", 7, 2, true], ["detector", 0, 1, false]]}})");
    ASSERT_TRUE(heads);
    EXPECT_TRUE(heads->wish.heads_on);
    using Of = HeadOff::Of;
    EXPECT_EQ(heads->wish.heads, (std::map<HeadOff, bool>{{{Of::captioner, 7, 2}, true},
                                                          {{Of::detector, 0, 1}, false}}));
    EXPECT_FALSE(typed->wish.heads_on);
    const auto phrase =
        read_viewer_message(R"({"look": {"mode": "mean", "phrase": 1, "ask": "classifier"}})");
    EXPECT_EQ(phrase->look->target.phrase, (PhraseRef{MapModel::classifier, 1}));
}

TEST(ViewerMessageTest, that_no_page_of_ours_sends_are_nothing) {
    for (const char* text : {"",
                             "null",
                             "[]",
                             "12",
                             "{",
                             R"({"else": 1})",
                             R"({"taken": -1})",
                             R"({"taken": "1"})",
                             R"({"taken": 1.5})",
                             R"({"clock": 1e300})",
                             R"({"look": 1})",
                             R"({"look": {}})",
                             R"({"look": {"mode": "all"}})",
                             R"({"look": {"mode": "mean", "point": [1]}})",
                             R"({"look": {"mode": "mean", "point": [1, -1]}})",
                             R"({"look": {"mode": "mean", "point": [1, "2"]}})",
                             R"({"look": {"mode": "mean", "layer": -1}})",
                             R"({"look": {"mode": "mean", "layer": 1e12}})",
                             R"({"look": {"mode": "mean", "x": 1}})",
                             R"({"set": {"threshold": 2}})",
                             R"({"set": {"detector": 1}})",
                             R"({"set": {"detector_stride": 0}})",
                             R"({"set": {"frozen": "yes"}})",
                             R"({"set": {"seek": -1}})",
                             R"({"set": {"path": "/etc/passwd"}})",
                             R"({"set": {"track": 1}})",
                             R"({"set": {"boxes": true}})",
                             R"({"set": {"full_screen": true}})",
                             R"({"set": {"find": ["a"]}})",
                             R"({"set": {"seek": -1}})",
                             R"({"set": {"seek": 1.5}})",
                             R"({"set": {"like": ["/etc/passwd"]}})",
                             R"({"set": {"least_scores": {"a": 2}}})",
                             R"({"look": {"mode": "mean", "phrase": -1}})",
                             R"({"look": {"mode": "mean", "query": 1, "track": -1}})",
                             R"({"set": {"heads": {"detector": [0, 1]}}})",
                             R"({"set": {"heads": [["detector", 0, 1]]}})",
                             R"({"set": {"heads": [["judge", 0, 1, true]]}})",
                             R"({"set": {"heads": [["detector", -1, 1, true]]}})",
                             R"({"set": {"heads": [["detector", 0, 5000, true]]}})",
                             R"({"set": {"heads": [["detector", 0, 1, 1]]}})",
                             R"({"set": {"heads_on": 1}})",
                             R"({"set": {"regions": {}}})",
                             R"({"set": {"regions": "zones.json"}})",
                             R"({"set": {"regions": {"size": [0, 0], "lines": []}}})",
                             R"({"set": {"regions": {"lines": [{"name": "no size",
                                 "from": [1, 2], "to": [3, 4]}]}}})",
                             R"({"set": {"regions": {"size": [9, 9], "lines": [{"name": "far",
                                 "from": [1, 2], "to": [1e30, 4]}]}}})",
                             R"({"set": {"regions": {"size": [9, 9], "zones": [{"name": "flat",
                                 "corners": [[1, 2], [3, 4]]}]}}})",
                             "{\"clock\": 1, \"\xff\": 1}"})
        EXPECT_FALSE(read_viewer_message(text)) << text;
    EXPECT_FALSE(
        read_viewer_message(R"({"set": {"regions": {"size": [9, 9], "lines": [{"name": ")" +
                            std::string(200, 'x') + R"(", "from": [1, 2], "to": [3, 4]}]}}})"));
    EXPECT_FALSE(read_viewer_message(std::string(2000, '[')));
    EXPECT_FALSE(read_viewer_message("{\"set\": {\"detector\": \"" +
                                     std::string(longest_message, 'x') + "\"}}"));
}

}  // namespace
}  // namespace saccade
