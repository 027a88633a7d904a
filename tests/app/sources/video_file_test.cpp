#include "app/sources/video_file.h"

#include <cmath>

#include "app/sources/container.h"
#include "app/sources/reader.h"
#include "tests/app/sources/clips.h"
#include "tests/app/sources/frames.h"

namespace saccade {
namespace {

class VideoFiles : public ::testing::Test {
protected:
    TempFolder temp;
};

TEST_F(VideoFiles, a_clip_gives_every_frame_at_its_time_and_its_exact_rate) {
    const auto source = open_source(make_clip(temp, "clip.mp4", 40, "30000/1001"));
    EXPECT_NEAR(source->traits().rate, 30000.0 / 1001, 1e-9);
    EXPECT_EQ(source->traits().frames, 40u);
    EXPECT_EQ(source->traits().size, (ImageSize{96, 64}));
    const std::vector<Shot> shots = all_shots(*source);
    ASSERT_EQ(shots.size(), 40u);
    for (size_t i = 0; i < shots.size(); ++i) {
        EXPECT_EQ(shots[i].info.index, i);
        EXPECT_NEAR(shots[i].info.time, double(i) * 1001 / 30000, 1e-4);
        if (i > 0) {
            EXPECT_FALSE(equal(shots[i].pixels, shots[i - 1].pixels));
        }
    }
    EXPECT_FALSE(next_shot(*source));
}

TEST_F(VideoFiles, seeking_gives_the_same_frame_as_decoding) {
    for (const char* name : {"clip.mp4", "clip.mkv", "clip.ts"}) {
        const auto source = open_source(make_clip(temp, name, 40));
        const std::vector<Shot> shots = all_shots(*source);
        ASSERT_EQ(shots.size(), 40u) << name;
        for (const uint64_t index : {17u, 3u, 39u, 0u, 18u, 19u}) {
            source->seek(index);
            const std::optional<Shot> shot = next_shot(*source);
            ASSERT_TRUE(shot) << name;
            EXPECT_EQ(shot->info.index, index);
            EXPECT_EQ(shot->info.time, shots[index].info.time) << name;
            EXPECT_TRUE(equal(shot->pixels, shots[index].pixels)) << name << " " << index;
        }
        source->seek(40);
        EXPECT_FALSE(next_shot(*source));
    }
}

TEST_F(VideoFiles, frames_of_a_variable_rate_keep_their_times) {
    // Ten frames a fifth of a second, then one every tenth.
    const std::string clip =
        make_clip(temp, "clip.mp4", 20, "50",
                  {"-vf", "setpts='if(lt(N,10),N,10+(N-10)*5)'", "-vsync", "vfr"});
    const std::vector<Shot> shots = all_shots(*open_source(clip));
    ASSERT_EQ(shots.size(), 20u);
    for (size_t i = 0; i < 20; ++i)
        EXPECT_NEAR(shots[i].info.time, i < 10 ? double(i) / 50 : 0.2 + double(i - 10) / 10, 0.002);
}

TEST_F(VideoFiles, a_clip_is_turned_upright) {
    const std::string lying = make_clip(temp, "lying.mp4", 3);
    const std::vector<Shot> want = all_shots(*open_source(lying));
    const auto source = open_source(turned(lying, temp, "upright.mp4"));
    EXPECT_EQ(source->traits().size, (ImageSize{64, 96}));
    const std::vector<Shot> shots = all_shots(*source);
    ASSERT_EQ(shots.size(), want.size());
    for (size_t i = 0; i < shots.size(); ++i) {
        cv::Mat upright;
        cv::rotate(want[i].pixels, upright, cv::ROTATE_90_CLOCKWISE);
        EXPECT_TRUE(equal(shots[i].pixels, upright));
        EXPECT_EQ(shots[i].info.size, (ImageSize{64, 96}));
    }
}

TEST_F(VideoFiles, a_clip_that_is_cut_short_says_after_which_frame) {
    for (const char* name : {"clip.mp4", "clip.mkv", "clip.avi"}) {
        const std::string content = file_content(make_clip(temp, name, 40));
        const std::string cut =
            temp.write("cut-" + std::string(name), content.substr(0, content.size() * 6 / 10));
        const auto source = open_source(cut);
        size_t frames = 0;
        const std::string error = error_of([&] {
            while (next_shot(*source)) ++frames;
        });
        EXPECT_GT(frames, 5u) << name;
        EXPECT_LT(frames, 40u) << name;
        expect_says(error, "'" + cut + "' is cut short");
        expect_says(error, "frame " + std::to_string(frames));
        EXPECT_FALSE(next_shot(*source));  // said once
    }
}

TEST_F(VideoFiles, a_clip_that_is_damaged_says_after_which_frame) {
    std::string content = file_content(make_clip(temp, "clip.mp4", 60));
    for (size_t i = content.size() / 2; i < content.size(); ++i) content[i] = char(i * 37 % 251);
    const auto source = open_source(temp.write("damaged.mp4", content));
    size_t frames = 0;
    const std::string error = error_of([&] {
        while (next_shot(*source)) ++frames;
    });
    expect_says(error, "is damaged: frame " + std::to_string(frames));
    EXPECT_GT(frames, 5u);
    EXPECT_LT(frames, 60u);
}

TEST_F(VideoFiles, a_clip_that_was_trimmed_is_whole) {
    const std::string clip = make_clip(temp, "clip.mp4", 40), trimmed = temp / "trimmed.mp4";
    run_ffmpeg({"-ss", "0.3", "-i", clip, "-c", "copy", trimmed});
    const auto source = open_source(trimmed);
    EXPECT_EQ(source->traits().frames, 40u);  // some of them not to be shown
    EXPECT_LT(all_shots(*source).size(), 40u);
}

TEST_F(VideoFiles, lengths_are_read_from_containers) {
    EXPECT_NEAR(*read_container(make_clip(temp, "clip.mp4", 40)).seconds, 1.6, 0.01);
    EXPECT_NEAR(*read_container(make_clip(temp, "clip.avi", 40)).seconds, 1.6, 0.01);
    EXPECT_FALSE(read_container(make_clip(temp, "clip.mkv", 40)).cut_short);
    for (const char* junk : {"", "\x1a\x45\xdf\xa3", "\0\0\0\1ftyp",
                             "RIFF\xff\xff\xff\xff"
                             "AVI "})
        EXPECT_FALSE(read_container(temp.write("junk", junk)).seconds);
}

TEST_F(VideoFiles, what_is_no_video_is_named) {
    const std::string text = temp.write("text.mp4", "hello");
    expect_says(error_of([&] { open_source(text); }), "'" + text + "' is no video");
    expect_says(error_of([&] { open_source(temp.write("empty.mkv", "")); }), "is no video");
}

TEST_F(VideoFiles, a_reader_gives_what_was_asked_for_and_then_the_error) {
    const std::string clip = make_clip(temp, "clip.mp4", 40);
    const std::vector<Shot> shots = all_shots(*open_source(clip));
    SlotMemory memory;
    Reader some(open_source(clip), memory.make(), {.first = 5, .end = 30, .stride = 4});
    EXPECT_EQ(some.traits().name, clip);
    std::vector<uint64_t> indices;
    while (std::optional<TakenFrame> frame = some.next()) {
        indices.push_back(frame->info().index);
        EXPECT_TRUE(equal(memory.slots[frame->slot()], shots[indices.back()].pixels));
    }
    EXPECT_EQ(indices, (std::vector<uint64_t>{5, 9, 13, 17, 21, 25, 29}));

    const std::string content = file_content(clip);
    const std::string cut = temp.write("cut.mp4", content.substr(0, content.size() * 6 / 10));
    Reader broken(open_source(cut), memory.make());
    size_t frames = 0;
    expect_says(error_of([&] {
                    while (broken.next()) ++frames;
                }),
                "should go on with frame " + std::to_string(frames));
}

}  // namespace
}  // namespace saccade
