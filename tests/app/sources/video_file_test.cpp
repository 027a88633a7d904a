#include "app/sources/video_file.h"

#include <cmath>
#include <cstring>

#include "app/sources/container.h"
#include "app/sources/open_source.h"
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
    EXPECT_EQ(source->traits().size, (Size{96, 64}));
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
    EXPECT_EQ(source->traits().size, (Size{64, 96}));
    const std::vector<Shot> shots = all_shots(*source);
    ASSERT_EQ(shots.size(), want.size());
    for (size_t i = 0; i < shots.size(); ++i) {
        EXPECT_TRUE(equal(shots[i].pixels, want[i].pixels));
        EXPECT_EQ(shots[i].layout.quarter_turns, 1u);  // the device turns it
        EXPECT_EQ(shots[i].info.size, (Size{64, 96}));
    }
}

TEST_F(VideoFiles, frames_come_as_the_stream_stores_them) {
    struct Case {
        const char *pixels, *matrix, *range;
        YuvFormat format;
    };
    const YuvMatrix bt601 = YuvMatrix::bt601, bt709 = YuvMatrix::bt709, bt2020 = YuvMatrix::bt2020;
    const Case cases[] = {
        {"yuv420p", "smpte170m", "tv", {bt601, false, 8, true, true}},
        {"yuv420p10le", "bt709", "pc", {bt709, true, 10, true, true}},
        {"yuv422p", "bt2020nc", "pc", {bt2020, true, 8, true, false}},
        {"yuv422p10le", "bt2020nc", "tv", {bt2020, false, 10, true, false}},
        {"yuv444p", "bt709", "tv", {bt709, false, 8, false, false}},
    };
    for (const Case& c : cases) {
        const std::string clip = temp / "clip.mp4", raw = temp / "clip.yuv";
        run_ffmpeg({"-f", "lavfi", "-i", "testsrc2=size=67x35", "-frames:v", "2", "-c:v", "libx264",
                    "-pix_fmt", c.pixels, "-colorspace", c.matrix, "-color_range", c.range, clip});
        run_ffmpeg({"-i", clip, "-f", "rawvideo", raw});
        const std::string want = file_content(raw);
        const std::vector<Shot> shots = all_shots(*open_source(clip));
        ASSERT_EQ(shots.size(), 2u);
        size_t place = 0;
        for (const Shot& shot : shots) {
            ASSERT_EQ(shot.layout.yuv, c.format) << c.pixels;
            for (uint32_t i = 0; i < 3; ++i) {
                const PixelLayout::Plane plane = shot.layout.plane(i);
                const size_t bytes = plane.width * (c.format.bits > 8 ? 2 : 1);
                for (uint32_t y = 0; y < plane.height; ++y, place += bytes)
                    ASSERT_EQ(std::memcmp(shot.pixels.data + plane.offset + y * plane.row_bytes,
                                          want.data() + place, bytes),
                              0)
                        << c.pixels << " plane " << i << " row " << y;
            }
        }
        EXPECT_EQ(place, want.size());
    }
}

TEST_F(VideoFiles, frames_that_are_not_yuv_come_as_bgr_and_upright) {
    const std::string clip = temp / "rgb.mp4", raw = temp / "rgb.raw";
    run_ffmpeg(
        {"-f", "lavfi", "-i", "testsrc2=size=66x34", "-frames:v", "1", "-c:v", "libx264rgb", clip});
    run_ffmpeg({"-i", clip, "-f", "rawvideo", "-pix_fmt", "bgr24", raw});
    std::string content = file_content(raw);
    const cv::Mat want(34, 66, CV_8UC3, content.data());
    const std::optional<Shot> lying = next_shot(*open_source(clip));
    const std::optional<Shot> upright = next_shot(*open_source(turned(clip, temp, "turned.mp4")));
    ASSERT_TRUE(lying && upright);
    EXPECT_EQ(lying->layout, packed({66, 34}));
    EXPECT_TRUE(equal(lying->pixels, want));
    cv::Mat turned;
    cv::rotate(want, turned, cv::ROTATE_90_CLOCKWISE);
    EXPECT_TRUE(equal(upright->pixels, turned));
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

TEST_F(VideoFiles, whole_files_are_not_cut_short) {
    for (const char* name : {"clip.mp4", "clip.mkv", "clip.avi"}) {
        const std::string content = file_content(make_clip(temp, name, 10));
        EXPECT_FALSE(is_cut_short(temp / name)) << name;
        for (size_t part : {3u, 6u, 9u})
            EXPECT_TRUE(
                is_cut_short(temp.write("cut", content.substr(0, content.size() * part / 10))))
                << name << " " << part;
    }
    for (const char* junk : {"", "\x1a\x45\xdf\xa3", "\0\0\0\1ftyp"})
        EXPECT_NO_THROW(is_cut_short(temp.write("junk", junk)));
}

TEST_F(VideoFiles, what_is_no_video_is_named) {
    const std::string text = temp.write("text.mp4", "hello");
    expect_says(error_of([&] { open_source(text); }), "'" + text + "' is no video");
    expect_says(error_of([&] { open_source(temp.write("empty.mkv", "")); }), "is no video");
}

TEST_F(VideoFiles, a_reader_gives_what_was_asked_for_and_then_the_error) {
    const std::string clip = make_clip(temp, "clip.mp4", 40);
    const std::vector<Shot> shots = all_shots(*open_source(clip));
    PlainRing memory;
    Reader some(open_source(clip), memory.ring, {.first = 5, .end = 30, .stride = 4});
    EXPECT_EQ(some.traits().name, clip);
    std::vector<uint64_t> indices;
    while (std::optional<TakenFrame> frame = some.next()) {
        indices.push_back(frame->info().index);
        EXPECT_TRUE(equal(memory.slots[frame->slot()], shots[indices.back()].pixels));
    }
    EXPECT_EQ(indices, (std::vector<uint64_t>{5, 9, 13, 17, 21, 25, 29}));

    const std::string content = file_content(clip);
    const std::string cut = temp.write("cut.mp4", content.substr(0, content.size() * 6 / 10));
    Reader broken(open_source(cut), memory.ring);
    size_t frames = 0;
    const std::string error = error_of([&] {
        while (broken.next()) ++frames;
    });
    expect_says(error, "should go on with frame " + std::to_string(frames));
}

}  // namespace
}  // namespace saccade
