#include "app/io/folder_lock.h"

#include <unistd.h>

#include "tests/models/files/temp_folder.h"

namespace saccade {
namespace {

using namespace std::chrono_literals;

class FolderLocks : public ::testing::Test {
protected:
    std::string content() const {
        std::ifstream file(temp / "lock");
        return {std::istreambuf_iterator<char>(file), {}};
    }
    std::string refusal() const {
        return error_of([&] { const FolderLock lock(temp.path(), 20ms); });
    }

    TempFolder temp;
};

TEST_F(FolderLocks, says_who_has_the_folder_and_lets_go_of_it) {
    {
        const FolderLock lock(temp.path());
        expect_says(content(), " " + std::to_string(::getpid()) + " ");
        expect_says(refusal(), "is in use by another run: process " + std::to_string(::getpid()));
    }
    EXPECT_EQ(content(), "");
    const FolderLock again(temp.path());
}

TEST_F(FolderLocks, a_dead_owner_on_this_machine_does_not_count) {
    char host[256] = "";
    ::gethostname(host, sizeof host - 1);
    temp.write("lock", std::string(host) + " 999999999 1 2026-01-01T00:00:00Z 7\n");
    const FolderLock lock(temp.path(), 60s);  // taking a free folder does not wait for a heartbeat
    expect_says(content(), " " + std::to_string(::getpid()) + " ");
}

TEST_F(FolderLocks, an_owner_on_another_machine_counts_if_it_goes_on) {
    temp.write("lock", "elsewhere 1 1 2026-01-01T00:00:00Z 7\n");
    {
        const FolderLock lock(temp.path(), 20ms);
        expect_says(content(), " " + std::to_string(::getpid()) + " ");
    }
    temp.write("lock", "elsewhere 1 1 2026-01-01T00:00:00Z 7\n");
    std::jthread other([&](std::stop_token stop) {
        for (int i = 8; !stop.stop_requested(); ++i) {
            std::this_thread::sleep_for(20ms);
            temp.write("lock", "elsewhere 1 1 2026-01-01T00:00:00Z " + std::to_string(i) + "\n");
        }
    });
    expect_says(error_of([&] { const FolderLock lock(temp.path(), 500ms); }),
                "process 1 on 'elsewhere', since 2026-01-01T00:00:00Z");
}

TEST_F(FolderLocks, the_owner_counts_on) {
    const FolderLock lock(temp.path(), 5ms);
    const std::string before = content();
    for (int i = 0; i < 2000 && (content().empty() || content() == before); ++i)
        std::this_thread::sleep_for(5ms);
    EXPECT_NE(content(), before);
}

TEST_F(FolderLocks, what_is_not_ours_to_write_gets_one_line) {
    expect_says(error_of([&] { const FolderLock lock(temp / "nosuch"); }), "cannot be written");
    std::filesystem::create_symlink("/dev/null", temp / "lock");
    expect_says(refusal(), "cannot be written");
}

}  // namespace
}  // namespace saccade
