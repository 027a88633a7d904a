#include "app/serve/crossings.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace saccade {
namespace {

TEST(CrossingsTest, are_spelled_as_in_events_jsonl_with_the_name_that_viewers_know) {
    FrameResult result;
    result.counts = {{"door", false, {}}, {"yard", true, {}}};
    result.events.push_back(
        {.region = 1, .in = true, .track = 7, .label = 1, .time = 1.5, .frame = 15, .seconds = 0});
    result.info.source = "http://me:secret@camera/";
    const std::vector<std::string> lines = crossings_in(result, {.detector = {"cat", "dog"}});
    ASSERT_EQ(lines.size(), 1u);
    const nlohmann::json line = nlohmann::json::parse(lines[0]);
    EXPECT_EQ(line["source"], "http://camera/");
    EXPECT_EQ(line["region"], "yard");
    EXPECT_EQ(line["event"], "in");
    EXPECT_EQ(line["label"], "dog");
    EXPECT_EQ(line["track"], 7);
}

}  // namespace
}  // namespace saccade
