#include "app/live/wall/wall.h"

#include <gtest/gtest.h>

#include <chrono>

#include "tests/app/program.h"
#include "tests/app/quiet_log.h"
#include "tests/app/validated_engine.h"
#include "tests/models/files/temp_folder.h"

namespace saccade {
namespace {

class WallTest : public ::testing::Test {
protected:
    WallTest() : engine(validated_engine()) {}
    void open(const std::vector<SourceName>& sources, size_t together) {
        const std::vector<LivePlace> from(sources.size());
        wall = std::make_unique<Wall>(engine, CaptureOptions{}, folder.path(), from, together);
        for (const SourceName& source : sources) {
            Wishes& wishes = parts.emplace_back().wishes;
            wishes.name = "source " + std::to_string(parts.size());
            wishes.source = source;
            wishes.detector = "emoji-detector";
            wishes.classifier = wishes.captioner = "none";
            wishes.look.track = true;
        }
        (*wall)[0].wait_for_models(parts[0].wishes);
    }
    bool step_until(const std::function<bool()>& holds) {
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
        while (!holds()) {
            if (std::chrono::steady_clock::now() > end) return false;
            if (!wall->step(parts)) wall->rest();
        }
        return true;
    }
    uint64_t frames_of(size_t source) const { return (*wall)[source].status().frames; }

    const QuietLog quiet;
    const TempFolder folder;
    Engine engine;
    std::unique_ptr<Wall> wall;
    std::vector<WallPart> parts;
};

// Frames are counted, not seconds: how busy the machine is does not matter, as long as both sources
// have a frame when it is their turn.
TEST_F(WallTest, two_sources_get_equal_shares_and_one_that_is_gone_delays_neither) {
    open({"synth:160x120@60?seed=1", "rtsp://127.0.0.1:1/gone", "synth:160x120@60?seed=2"}, 1);
    wall->end_after(24);
    ASSERT_TRUE(step_until([&] { return wall->frames() >= 24; }));
    EXPECT_EQ(wall->frames(), 24u);
    EXPECT_NEAR(double(frames_of(0)), 12, 2);
    EXPECT_NEAR(double(frames_of(2)), 12, 2);
    EXPECT_EQ(frames_of(1), 0u);
    EXPECT_FALSE((*wall)[1].status().source_state.empty()) << "it says why";
    EXPECT_TRUE((*wall)[0].status().source_state.empty());
    EXPECT_FALSE(wall->over());
}

// Captions are of the first source, whose frames take longer. The sources are faster than software
// Vulkan, so both always have a frame.
TEST_F(WallTest, a_source_whose_caption_is_written_keeps_its_share) {
    open({"synth:640x480@60?seed=1", "synth:640x480@60?seed=2"}, 1);
    for (WallPart& part : parts) part.wishes.captioner = "emoji-captioner";
    (*wall)[0].wait_for_models(parts[0].wishes);
    wall->end_after(32);
    ASSERT_TRUE(step_until([&] { return wall->frames() >= 32; }));
    EXPECT_FALSE((*wall)[0].captions().caption().words.empty());
    EXPECT_NEAR(double(frames_of(0)), double(frames_of(1)), 1);
}

TEST_F(WallTest,
       frames_of_several_sources_are_seen_at_once_and_keep_their_own_findings_and_tracks) {
    open({"synth:160x120@30?seed=1&objects=1", "synth:160x120@30?seed=5&objects=3",
          "synth:96x80@30?seed=1"},
         3);
    bool at_once = false;
    ASSERT_TRUE(step_until([&] {
        at_once = at_once || ((*wall)[0].in_flight() > 0 && (*wall)[1].in_flight() > 0);
        return frames_of(0) >= 12 && frames_of(1) >= 12 && frames_of(2) >= 6;
    }));
    EXPECT_TRUE(at_once);
    for (size_t i = 0; i < 3; ++i) {
        const Status& status = (*wall)[i].status();
        EXPECT_EQ(status.name, "source " + std::to_string(i + 1));
        ASSERT_TRUE(status.tracks);
        EXPECT_GT(status.tracks->numbers, 0u);
        ASSERT_TRUE(status.score);
        if (i < 2) {
            EXPECT_GE(status.score->objects().recall(), 0.5) << i;
        }
        EXPECT_GE(status.score->objects().precision(), 0.5) << i;
        EXPECT_EQ((*wall)[i].shown()->result.info.source, parts[i].wishes.source);
    }
}

TEST_F(WallTest, another_model_is_for_all_whoever_wishes_for_it) {
    open({"synth:96x80@30", "synth:96x80@30?seed=9"}, 2);
    ASSERT_TRUE(step_until([&] { return frames_of(0) > 1 && frames_of(1) > 1; }));
    parts[1].wishes.detector = "none";
    parts[1].wishes.classifier = "emoji-classifier";
    ASSERT_TRUE(step_until([&] {
        const auto& shown = (*wall)[0].shown();
        return shown && shown->result.classes && !shown->result.detections;
    }));
    EXPECT_EQ(parts[0].wishes.classifier, "emoji-classifier");
    const uint64_t frames = frames_of(1);
    ASSERT_TRUE(step_until([&] { return frames_of(1) > frames; }));
    EXPECT_TRUE((*wall)[1].shown()->result.classes);
}

TEST_F(WallTest, a_picture_whose_only_frame_is_in_flight_outlives_a_change_of_models) {
    open({"synth:96x80@30", golden_picture()}, 2);
    ASSERT_TRUE(step_until([&] { return (*wall)[1].in_flight() > 0; }));
    ASSERT_FALSE((*wall)[1].shown());
    parts[0].wishes.classifier = "emoji-classifier";
    ASSERT_TRUE(step_until([&] { return (*wall)[1].shown().has_value(); }));
    ASSERT_TRUE(step_until([&] {
        const auto& shown = (*wall)[0].shown();
        return shown && shown->result.classes;
    }));
}

TEST_F(WallTest, maps_are_of_the_source_that_is_pointed_at) {
    open({"synth:160x120@30", "synth:160x120@30?seed=9"}, 2);
    ASSERT_TRUE(step_until([&] { return frames_of(0) > 1 && frames_of(1) > 1; }));
    parts[1].wishes.remote.looks = {{.viewer = 7,
                                     .attention = {.mode = AttentionMode::mean},
                                     .target = {.point = glm::vec2(80, 60)}}};
    ASSERT_TRUE(step_until([&] {
        const auto& shown = (*wall)[1].shown();
        return shown && !shown->maps.empty() && shown->maps.front().count > 0;
    }));
    EXPECT_EQ((*wall)[1].shown()->maps.front().whose, 7u);
    EXPECT_TRUE((*wall)[0].shown()->maps.empty());
    const uint64_t frames = frames_of(0);
    ASSERT_TRUE(step_until([&] { return frames_of(0) > frames + 2; })) << "the other goes on";
}

}  // namespace
}  // namespace saccade
