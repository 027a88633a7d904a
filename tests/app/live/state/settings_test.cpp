#include "app/live/state/settings.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "tests/models/files/temp_folder.h"

namespace saccade {
namespace {

TEST(Settings, come_back_as_they_were_left) {
    const TempFolder temp;
    Settings settings;
    settings.wishes.look.boxes = false;
    settings.wishes.look.filter.threshold = 0.25f;
    settings.wishes.look.attention = {AttentionMode::grid, 7, 3, 0.5f, 0.75f, true};
    settings.wishes.look.model = MapModel::classifier;
    settings.wishes.look.overview = settings.wishes.window.knows_holding = true;
    settings.wishes.window.present_mode = PresentMode::mailbox;
    settings.wishes.window.full_screen = true;
    settings.width = 801;
    settings.height = 602;
    settings.layout = "[Window][Saccade]\nPos=5,6\n";
    const auto file = temp / "config" / "saccade" / "window.json";
    ASSERT_TRUE(write_settings(file, settings)) << "folders are made";
    const Settings read = read_settings(file);
    EXPECT_EQ(read.wishes.look.boxes, false);
    EXPECT_EQ(read.wishes.look.caption, true);
    EXPECT_EQ(read.wishes.look.filter.threshold, 0.25f);
    EXPECT_EQ(read.wishes.look.attention, settings.wishes.look.attention);
    EXPECT_EQ(read.wishes.look.model, MapModel::classifier);
    EXPECT_TRUE(read.wishes.look.overview && read.wishes.window.knows_holding);
    EXPECT_EQ(read.wishes.window.present_mode, PresentMode::mailbox);
    EXPECT_TRUE(read.wishes.window.full_screen);
    EXPECT_EQ(read.width, 801u);
    EXPECT_EQ(read.height, 602u);
    EXPECT_EQ(read.layout, settings.layout);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(file.parent_path()), {}), 1)
        << "nothing is left beside it";
}

TEST(Settings, what_a_run_was_about_is_not_remembered) {
    const TempFolder temp;
    Settings settings;
    settings.wishes.frozen = settings.wishes.recording = settings.wishes.window.help = true;
    settings.wishes.source = "clip.mp4";
    ASSERT_TRUE(write_settings(temp / "window.json", settings));
    const Settings read = read_settings(temp / "window.json");
    EXPECT_FALSE(read.wishes.frozen || read.wishes.recording || read.wishes.window.help);
    EXPECT_EQ(read.wishes.source, "");
}

TEST(Settings, what_the_command_line_says_is_for_one_run) {
    Wishes remembered;
    remembered.look.filter.threshold = 0.4f;
    remembered.look.boxes = false;
    Wishes begun = remembered;  // --threshold 0 --attention grid --stride 5 --track
    begun.look.filter.threshold = 0;
    begun.look.attention.mode = AttentionMode::grid;
    begun.detector_stride = begun.classifier_stride = 5;
    begun.look.track = true;
    Wishes now = begun;
    now.look.caption = false;  // in the window
    now.detector_stride = 2;
    const Wishes kept = to_remember(remembered, begun, now);
    EXPECT_EQ(kept.look.filter.threshold, 0.4f);
    EXPECT_EQ(kept.look.attention.mode, AttentionMode::mean);
    EXPECT_EQ(kept.classifier_stride, 1u);
    EXPECT_FALSE(kept.look.track || kept.look.boxes);
    EXPECT_FALSE(kept.look.caption);
    EXPECT_EQ(kept.detector_stride, 2u);
}

TEST(Settings, damaged_files_and_values_out_of_range_do_no_harm) {
    const TempFolder temp;
    const auto file = temp / "window.json";
    EXPECT_EQ(read_settings(file).width, 1280u) << "no file at all";
    for (const char* text : {"", "{", "[1, 2]", "\"boxes\"", "{\"boxes\": 3, \"layer\": -1}",
                             "{\"width\": \"wide\", \"maps\": \"everything\"}"}) {
        std::ofstream(file) << text;
        const Settings read = read_settings(file);
        EXPECT_TRUE(read.wishes.look.boxes) << text;
        EXPECT_EQ(read.wishes.look.attention, Wishes().look.attention) << text;
        EXPECT_EQ(read.width, 1280u) << text;
    }
    std::ofstream(file) << R"({"width": 0, "height": 99999999, "threshold": 7, "blend": -3})";
    const Settings read = read_settings(file);
    EXPECT_EQ(read.width, 320u);
    EXPECT_EQ(read.height, 16384u);
    EXPECT_EQ(read.wishes.look.filter.threshold, 1.0f);
    EXPECT_EQ(read.wishes.look.attention.blend, 0.0f);
}

TEST(Settings, a_folder_that_cannot_be_written_to_is_no_error) {
    const TempFolder temp;
    std::ofstream(temp / "file") << "in the way";
    EXPECT_FALSE(write_settings(temp / "file" / "window.json", {}));
    EXPECT_FALSE(write_settings({}, {}));
}

TEST(Settings, lie_in_the_users_config_folder) {
    const char* before = std::getenv("XDG_CONFIG_HOME");
    const std::string kept = before ? before : "";
    ::setenv("XDG_CONFIG_HOME", "/somewhere", 1);
    EXPECT_EQ(settings_file(), "/somewhere/saccade/window.json");
    ::setenv("XDG_CONFIG_HOME", "relative/is/ignored", 1);
    EXPECT_NE(settings_file(), "relative/is/ignored/saccade/window.json");
    if (before)
        ::setenv("XDG_CONFIG_HOME", kept.c_str(), 1);
    else
        ::unsetenv("XDG_CONFIG_HOME");
}

}  // namespace
}  // namespace saccade
