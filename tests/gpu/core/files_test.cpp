#include "gpu/core/files.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <functional>
#include <iterator>

#include "tests/models/files/temp_folder.h"

namespace saccade {
namespace {

// Called for every fsync.
thread_local std::function<void(const std::string& path)> on_sync;

}  // namespace
}  // namespace saccade

// Replaces the C library's fsync.
extern "C" int fsync(int fd) {
    if (saccade::on_sync)
        saccade::on_sync(
            std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(fd)).string());
    return static_cast<int>(::syscall(SYS_fsync, fd));
}

namespace saccade {
namespace {

class Files : public ::testing::Test {
protected:
    std::string content_of(const std::filesystem::path& path) const {
        std::ifstream file(path, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    auto count() const {
        return std::distance(std::filesystem::directory_iterator(temp.path()), {});
    }

    const TempFolder temp;
};

TEST_F(Files, a_new_file_takes_its_name_when_it_is_whole) {
    for (Sync sync : {Sync::no, Sync::yes}) {
        const auto path = temp.write("file", "old");
        NewFile file(path);
        file.write("bytes ");
        file.write(std::as_bytes(std::span("and more", 8)));
        file.write(" and text");
        EXPECT_EQ(content_of(path), "old");
        EXPECT_EQ(count(), 2);
        file.finish(sync);
        EXPECT_EQ(content_of(path), "bytes and more and text");
        EXPECT_EQ(count(), 1);
    }
}

TEST_F(Files, a_file_that_is_never_finished_leaves_nothing_behind) {
    const auto path = temp.write("file", "old");
    NewFile(path).write(std::string(1 << 20, 'x'));
    EXPECT_EQ(content_of(path), "old");
    EXPECT_EQ(count(), 1);
}

TEST_F(Files, what_is_to_last_is_on_the_disk_before_and_after_it_takes_its_name) {
    for (Sync sync : {Sync::no, Sync::yes}) {
        const auto path = temp.write("file", "old");
        NewFile file(path);
        file.write("new");
        std::vector<std::string> synced;
        on_sync = [&](const std::string& what) { synced.push_back(what + " " + content_of(path)); };
        file.finish(sync);
        on_sync = {};
        if (sync == Sync::no) {
            EXPECT_EQ(synced, std::vector<std::string>());
            continue;
        }
        ASSERT_EQ(synced.size(), 2u);
        const std::string folder = std::filesystem::canonical(temp.path());
        EXPECT_TRUE(synced[0].starts_with(folder + "/")) << synced[0];
        EXPECT_TRUE(synced[0].ends_with(" old")) << synced[0];
        EXPECT_EQ(synced[1], folder + " new");
    }
}

TEST_F(Files, an_old_name_in_the_current_folder_can_be_synced_too) {
    const auto before = std::filesystem::current_path();
    std::filesystem::current_path(temp.path());
    NewFile file("file");
    file.write("text");
    file.finish(Sync::yes);
    std::filesystem::current_path(before);
    EXPECT_EQ(content_of(temp / "file"), "text");
}

TEST_F(Files, a_full_disk_is_one_line_that_says_so) {
    const std::string full = error_of([&] { refuse_write("out/clip.mp4", ENOSPC); });
    expect_says(full, "'out/clip.mp4' cannot be written: No space left on device; make room");
    const std::string missing = error_of([&] { NewFile(temp / "none" / "file"); });
    expect_says(missing, "check the folder");
}

TEST_F(Files, what_does_not_fit_is_an_error_and_the_old_file_stays) {
    const auto path = temp.write("file", "old");
    // A limit on file sizes fails a write just as a full disk does.
    rlimit old_limit{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old_limit), 0);
    auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
    rlimit limit{65536, old_limit.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
    const std::string error = error_of([&] {
        NewFile file(path);
        for (int i = 0; i < 100; ++i) file.write(std::string(1000, 'x'));
        file.finish();
    });
    ::setrlimit(RLIMIT_FSIZE, &old_limit);
    std::signal(SIGXFSZ, old_handler);
    expect_says(error, "cannot be written: File too large");
    EXPECT_EQ(content_of(path), "old");
    EXPECT_EQ(count(), 1);
}

TEST_F(Files, what_killed_programs_left_behind_is_removed_and_nothing_else) {
    const pid_t gone = ::fork();
    if (gone == 0) ::_exit(0);
    ASSERT_EQ(::waitpid(gone, nullptr, 0), gone);
    temp.write("clip.mp4.saccade-part-" + std::to_string(gone), "half");
    temp.write("other.mp4.saccade-part-" + std::to_string(::getppid()), "on its way");
    temp.write("clip.mp4", "whole");
    FileBeside::remove_leftovers(temp.path());
    EXPECT_EQ(count(), 2);
    EXPECT_EQ(content_of(temp / ("other.mp4.saccade-part-" + std::to_string(::getppid()))),
              "on its way");
    EXPECT_EQ(content_of(temp / "clip.mp4"), "whole");
}

TEST_F(Files, a_device_or_a_folder_is_not_replaced_by_a_file) {
    expect_says(error_of([&] { NewFile("/dev/null"); }), "is not a file");
    expect_says(error_of([&] { NewFile(temp.path()); }), "is not a file");
}

}  // namespace
}  // namespace saccade
