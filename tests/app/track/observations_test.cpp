#include "app/track/observations.h"

#include <gtest/gtest.h>

#include "gpu/core/error.h"

namespace saccade {
namespace {

FrameResult found() {
    FrameResult result;
    result.info.index = 12;
    result.info.time = 0.4;
    result.info.size = {640, 480};
    result.detections = {{3, 0.9f, {1, 2, 30, 40}, 1}, {4, 0.25f, {5, 6, 7, 8}, 0}};
    return result;
}

TEST(ObservationsTest, hold_what_queries_look_like_as_directions) {
    Observations seen;
    const std::vector<float> states{0.5f, -1, 0, 2, 2, -4};  // of two queries
    observe(seen, found(), states, 3);
    EXPECT_EQ(seen.frame, 12u);
    EXPECT_EQ(seen.time, 0.4);
    EXPECT_EQ(seen.size, (Size{640, 480}));
    ASSERT_EQ(seen.detections.size(), 2u);
    EXPECT_EQ(seen.detections[0], (Observation{{1, 2, 30, 40}, 0.9f, 3}));
    const auto first = seen.embedding(0), second = seen.embedding(1);  // of query 1, of query 0
    EXPECT_EQ((std::vector<int>(first.begin(), first.end())), (std::vector{64, 64, -127}));
    EXPECT_EQ((std::vector<int>(second.begin(), second.end())), (std::vector{64, -127, 0}));
    observe(seen, found(), {}, 0);  // a detector that does not say
    EXPECT_EQ(seen.embedding_size, 0u);
    EXPECT_TRUE(seen.embeddings.empty());
}

TEST(ObservationsTest, come_back_from_bytes_as_they_were) {
    Observations first, second;
    observe(first, found(), std::vector<float>{0.5f, -1, 0, 2, 2, -4}, 3);
    second.frame = 13;
    std::string bytes;
    append(bytes, first);
    append(bytes, second);
    std::string_view rest = bytes;
    EXPECT_EQ(take_first(rest), first);
    EXPECT_EQ(take_first(rest), second);
    EXPECT_TRUE(rest.empty());
    for (size_t cut : {size_t{1}, size_t{23}, size_t{30}, bytes.size() / 2}) {
        std::string_view part = std::string_view(bytes).substr(0, cut);
        EXPECT_THROW(while (!part.empty()) take_first(part), Error) << cut;
    }
}

}  // namespace
}  // namespace saccade
