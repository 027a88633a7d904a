// `saccade live` without a window, as started from a shell.

#include "app/commands/live.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "app/track/region_store.h"
#include "tests/app/program.h"
#include "tests/app/serve/page/served_page.h"
#include "tests/models/files/temp_folder.h"
#include "tests/places.h"

namespace saccade {
namespace {

using namespace std::chrono_literals;

TEST(LiveProgram, without_a_display_says_so_and_what_else_there_is) {
    ::unsetenv("DISPLAY");
    ::unsetenv("WAYLAND_DISPLAY");
    const Outcome outcome = saccade_program(small_live({"--detector", "none"}));
    expect_refused(outcome, 1, "--headless");
    expect_says(outcome.err, "--serve 8080 shows it in a browser");
    expect_says(outcome.err, "batch");
}

TEST(LiveProgram, runs_the_loop_without_a_window) {
    const Outcome outcome =
        saccade_program(small_live({"--headless", "--frames", "5", "--detector", "none"}));
    expect_done(outcome);
    expect_says(outcome.out, "5 frames in ");
    expect_says(outcome.out, "GPU idle ");
}

TEST(LiveProgram, several_sources_go_on_without_those_that_cannot_be_opened) {
    const TempFolder temp;
    temp.write("cameras.txt",
               "door = synth:96x80@20\ndoor = synth:\nyard = no-such-file.mp4\nhall = "
               "synth:96x80@20?seed=2\n");
    const Outcome outcome = saccade_program(on_test_device(
        {"live", "@" + (temp / "cameras.txt").string(), "--headless", "--frames", "12",
         "--detector", "none", "--classifier", "none", "--captioner", "none"}));
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    expect_says(outcome.err, "'door' is there twice");
    expect_says(outcome.err, "no-such-file.mp4");
    expect_says(outcome.out, "door: ");
    expect_says(outcome.out, "hall: ");
    expect_says(outcome.out, "2 sources: 12 frames");
}

TEST(LiveProgram, clips_need_a_folder_that_can_be_written_and_a_size_that_can_be_read) {
    expect_refused(saccade_program(small_live({"--headless", "--clips", "/proc/no"})), 1,
                   "/proc/no");
    expect_refused(saccade_program(small_live({"--headless", "--clips", "x", "--keep", "much"})), 2,
                   "20GB");
}

TEST(LiveProgram, without_a_window_counts_in_lines_that_were_drawn_and_says_what) {
    const TempFolder temp;
    const std::string source = "synth:160x120@10?seed=3&objects=1";
    Regions door{.size = Size(160, 120), .all = {}};
    door.all.push_back({.name = "door", .corners = {{80, 0}, {80, 120}}});
    RegionStore(temp / "saccade" / "zones").write(source, door);
    ::setenv("XDG_CONFIG_HOME", temp.path().c_str(), 1);
    const Outcome outcome =
        saccade_program(on_test_device({"live", source, "--headless", "--frames", "2",
                                        "--classifier", "none", "--captioner", "none"}));
    ::unsetenv("XDG_CONFIG_HOME");
    expect_done(outcome);
    expect_says(outcome.out, "door: nothing yet");
}

// Ten seconds are enough here; the script runs for ten minutes by default.
TEST(LiveProgram, needs_no_more_memory_after_a_while) {
    ::setenv("SACCADE_PROGRAM", places::program(), 1);
    Words words{places::tests() + std::string("/trials/soak"), "10"};
    for (const std::string& word : small_live({"--detector", "none"}))
        if (word != "live") words.push_back(word);
    const Outcome outcome = run_program("/usr/bin/env", words);
    ::unsetenv("SACCADE_PROGRAM");
    EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
    expect_says(outcome.out, "device memory ");
}

TEST(LiveProgram, ends_cleanly_when_it_is_interrupted) {
    Program program(places::program(),
                    small_live({"--headless", "--serve", "0", "--detector", "none"}));
    ASSERT_NE(address_of(program), "") << "it has not begun";
    program.send(SIGINT);
    const Outcome outcome = program.wait();
    expect_done(outcome);
    expect_says(outcome.out, " frames in ");
}

// As schedulers do, which send more than one.
TEST(LiveProgram, ends_cleanly_though_it_is_told_to_twice) {
    Program program(places::program(),
                    small_live({"--headless", "--serve", "0", "--detector", "none"}));
    ASSERT_NE(address_of(program), "") << "it has not begun";
    for (int i = 0; i < 50; ++i) {
        program.send(SIGTERM);
        std::this_thread::sleep_for(1ms);
    }
    const Outcome outcome = program.wait();
    expect_done(outcome);
    expect_says(outcome.out, " frames in ");
}

TEST(LiveProgram, without_a_window_a_camera_that_is_not_there_is_the_end) {
    expect_refused(saccade_program(on_test_device({"live", "63", "--headless", "--detector", "none",
                                                   "--classifier", "none", "--captioner", "none"})),
                   1, "there is no camera 63");
}

TEST(LiveProgram, without_a_window_what_cannot_be_sent_is_the_end) {
    expect_refused(saccade_program(small_live({"--headless", "--frames", "2", "--detector", "none",
                                               "--to", "/nowhere/live.ts"})),
                   1, "nothing can be sent to '/nowhere/live.ts'");
}

// The limit of a file's size, 64 KiB, stands for a full disk: some pictures fit.
TEST(LiveProgram, a_file_that_cannot_go_on_ends_and_the_program_does_not) {
    const TempFolder temp;
    const std::string file = temp / "live.ts";
    Words words{"-c", "trap '' XFSZ; ulimit -f 64; exec \"$@\"", "limited", places::program()};
    for (const std::string& word : small_live(
             {"--headless", "--frames", "60", "--detector", "none", "--to", file, "--no-loop"}))
        words.push_back(word);
    const Outcome outcome = run_program("/bin/bash", words);
    EXPECT_EQ(outcome.code, 1) << "not everything was sent";
    expect_says(outcome.out, "60 frames in ");
    expect_says(outcome.err, "nothing can be sent to '" + file + "': File too large");
    EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
    EXPECT_GT(std::filesystem::file_size(file), 0u);
}

TEST(LiveProgram, a_model_that_is_not_there_is_an_error_without_a_window) {
    expect_refused(saccade_program(small_live({"--headless", "--detector", "no-such-model"})), 1,
                   "no-such-model");
}

}  // namespace
}  // namespace saccade
