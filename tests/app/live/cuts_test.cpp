// What the live loop knows of a picture goes with it: a video is cut from one scene to another.

#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "app/io/picture_file.h"
#include "app/sources/open_source.h"
#include "tests/app/live/stepped_loop.h"
#include "tests/app/sources/clips.h"
#include "tests/app/sources/frames.h"

namespace saccade {
namespace {

class LiveCutsTest : public SteppedLoop {
protected:
    static constexpr uint64_t scene_frames = 20;

    LiveCutsTest() : SteppedLoop({}) {
        wishes.detector = "emoji-detector";
        wishes.classifier = "emoji-classifier";
        wishes.captioner = "emoji-captioner";
        wishes.detector_stride = wishes.classifier_stride = 3;
        wishes.look.track = true;
        wishes.regions = {
            .size = std::nullopt,
            .all = {{"all", true, {{0, 0}, {320, 0}, {320, 240}, {0, 240}}, Anchor::middle}}};
    }
    // Twenty frames of one scene and twenty of another, six a second.
    std::string two_scenes() {
        std::filesystem::create_directory(folder / "frames");
        uint64_t number = 100;
        for (const char* name :
             {"synth:320x240@10?seed=6&objects=2", "synth:320x240@10?seed=9&objects=2"}) {
            const auto source = open_source(name);
            source->seek(10);  // its objects have come in
            for (uint64_t i = 0; i < scene_frames; ++i)
                write_picture(folder / "frames" / (std::to_string(number++) + ".png"),
                              next_shot(*source)->pixels);
        }
        const std::string clip = folder / "clip.mp4";
        run_ffmpeg({"-framerate", "6", "-start_number", "100", "-i", folder / "frames/%d.png",
                    "-c:v", "libx264", "-pix_fmt", "yuv420p", clip});
        return clip;
    }
    uint32_t inside() const {
        uint32_t count = 0;
        for (const RegionCounts& region : loop.shown()->result.counts)
            for (const RegionCounts::OfClass& one : region.classes) count += one.inside;
        return count;
    }
    const std::vector<CaptionWord>& words() const { return loop.captions().caption().words; }
};

TEST_F(LiveCutsTest, a_cut_clears_what_belonged_to_the_old_picture_at_once) {
    wishes.source = two_scenes();
    wait_for_models();
    // Of the frame before. A slow machine may have seen too little of a scene: the clip goes round.
    uint64_t index = 0, scene = 0;
    std::set<uint32_t> numbers;
    bool all_known = false, seen = false;
    ASSERT_TRUE(step_until([&] {
        if (!loop.shown() || loop.shown()->result.info.index == index) return false;
        const Done& shown = *loop.shown();
        const FrameResult& result = shown.result;
        const bool cut = index < scene_frames && result.info.index >= scene_frames;
        if (cut && all_known) {
            seen = true;
            EXPECT_NE(result.info.scene, scene);
            EXPECT_TRUE(shown.detected) << "boxes are of this very frame, whoever's turn it is";
            EXPECT_TRUE(result.detections && !result.detections->empty());
            for (const uint32_t number : result.tracks) EXPECT_FALSE(numbers.contains(number));
            EXPECT_EQ(inside(), 0u) << "whoever was inside has gone with the scene";
            EXPECT_EQ(loop.status().tracks->lost, 0u) << "nobody waits for them";
            EXPECT_TRUE(words().empty() || loop.captions().frame().scene == result.info.scene);
            EXPECT_FALSE(result.caption && !result.caption->words.empty() && words().empty());
        }
        if (result.info.index < index) numbers.clear();  // it goes round
        index = result.info.index;
        scene = result.info.scene;
        for (const uint32_t number : result.tracks)
            if (number > 0) numbers.insert(number);
        all_known = index < scene_frames && !result.tracks.empty() && result.tracks[0] > 0 &&
                    inside() > 0 && !words().empty() && result.classes;
        return seen;
    }));
}

}  // namespace
}  // namespace saccade
