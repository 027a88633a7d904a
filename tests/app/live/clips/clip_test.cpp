#include <gtest/gtest.h>

#include <fstream>

#include "app/live/clips/clip_recorder.h"
#include "app/sources/video_file.h"
#include "gpu/core/error.h"
#include "tests/app/quiet_log.h"
#include "tests/models/files/temp_folder.h"

namespace saccade {
namespace {

namespace fs = std::filesystem;

class ClipTest : public ::testing::Test {
protected:
    // Frames of a grey that rises, ten a second, one of which something happens in.
    void record(ClipStore& store, int frames, int event, const std::string& source = "door") {
        ClipRecorder recorder(store, source, {.before = 1, .after = 1, .longest = 10});
        const PlaneLayout layout{.width = 64, .height = 48, .chroma = Chroma::halved};
        std::vector<uint8_t> planes(layout.bytes(), 128);
        for (int i = 0; i < frames; ++i) {
            std::fill_n(planes.begin(), 64 * 48, uint8_t(16 + 2 * i));
            std::vector<std::string> happened;
            if (i == event) happened.push_back("a dog entered the mat");
            recorder.add({planes.data(), layout}, 0.1 * i, happened);
            while (recorder.waiting() > 0) std::this_thread::yield();
        }
    }
    static std::string text_of(const fs::path& file) {
        std::ifstream stream(file);
        return {std::istreambuf_iterator<char>(stream), {}};
    }

    const QuietLog quiet;
    TempFolder folder;
};

TEST_F(ClipTest, a_clip_has_the_seconds_before_and_after_and_stands_on_the_page) {
    ClipStore store(folder.path(), 1 << 30);
    record(store, 50, 25);
    const std::vector<std::string> names = store.names();
    ASSERT_EQ(names.size(), 1u);
    EXPECT_TRUE(names[0].ends_with("-door")) << names[0];
    EXPECT_TRUE(fs::exists(folder / (names[0] + ".jpg")));
    VideoFile video((folder / (names[0] + ".mp4")).string());
    ASSERT_TRUE(video.traits().frames);
    EXPECT_NEAR(double(*video.traits().frames), 20, 2);
    const std::string page = text_of(folder / "index.html");
    EXPECT_NE(page.find(names[0] + ".mp4"), page.npos);
    EXPECT_NE(page.find("a dog entered the mat"), page.npos);
    EXPECT_NE(text_of(folder / (names[0] + ".json")).find("\"door\""), std::string::npos);
}

TEST_F(ClipTest, nothing_is_written_where_nothing_happens) {
    ClipStore store(folder.path(), 1 << 30);
    record(store, 20, -1);
    EXPECT_TRUE(store.names().empty());
}

TEST_F(ClipTest, after_a_crash_whole_clips_stay_and_the_rest_is_removed) {
    {
        ClipStore store(folder.path(), 1 << 30);
        record(store, 20, 5);
    }
    folder.write("2026-11-19-03-55-12-door.mp4", "half of a video");
    folder.write("2026-11-19-03-55-12-door.jpg", "a picture");
    folder.write("mine.mp4", "of a person");
    folder.write("my-notes-of-the-20th.json", R"({"happened": 5})");
    folder.write("my-notes-of-the-20th.mp4", "of a person");
    folder.write("index.html", "without the last clip");
    ClipStore store(folder.path(), 1 << 30);
    ASSERT_EQ(store.names().size(), 1u);
    EXPECT_NE(text_of(folder / "index.html").find(store.names()[0] + ".mp4"), std::string::npos);
    EXPECT_TRUE(fs::exists(folder / "my-notes-of-the-20th.json"));
    EXPECT_FALSE(fs::exists(folder / "2026-11-19-03-55-12-door.mp4"));
    EXPECT_FALSE(fs::exists(folder / "2026-11-19-03-55-12-door.jpg"));
    EXPECT_TRUE(fs::exists(folder / "mine.mp4"));
}

TEST_F(ClipTest, the_oldest_go_first_when_the_folder_is_full) {
    uint64_t clip = 0, rest = 0;
    {
        ClipStore store(folder.path(), 1 << 30);
        record(store, 20, 5, "first");
        for (const auto& file : fs::directory_iterator(folder.path()))
            (file.path().stem().string().starts_with("20") ? clip : rest) += file.file_size();
    }
    const uint64_t most = rest + 2 * clip + clip / 2;
    ClipStore store(folder.path(), most);
    for (const char* source : {"second", "third", "fourth"}) record(store, 20, 5, source);
    const std::vector<std::string> names = store.names();
    ASSERT_FALSE(names.empty());
    EXPECT_LT(names.size(), 4u);
    EXPECT_TRUE(names.back().ends_with("fourth")) << names.back();
    uint64_t all = 0;
    for (const auto& file : fs::directory_iterator(folder.path())) all += file.file_size();
    EXPECT_LE(all, most + 1024) << "but for lines of the page";
}

TEST_F(ClipTest, two_programs_do_not_keep_clips_in_one_folder) {
    const ClipStore store(folder.path(), 1 << 30);
    EXPECT_NE(error_of([&] { ClipStore(folder.path(), 1 << 30); }), "");
}

}  // namespace
}  // namespace saccade
