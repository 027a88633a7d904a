// The launcher ./saccade, with a stand-in for what it has built.

#include <gtest/gtest.h>

#include "tests/app/program.h"

namespace saccade {
namespace {

namespace fs = std::filesystem;

TEST(Launcher, runs_what_is_built_where_nothing_can_be_written) {
    const TempFolder temp;
    const fs::path launcher = temp / "saccade", program = temp / "build/app/saccade";
    fs::copy_file(fs::path(places::tests()).parent_path() / "saccade", launcher);
    fs::create_directories(program.parent_path());
    std::ofstream(program) << "#!/bin/sh\necho ran \"$@\"\n";
    fs::permissions(program, fs::perms(0755));
    for (const fs::path& folder : {temp.path(), temp / "build", temp / "build/app"})
        fs::permissions(folder, fs::perms(0555));
    // To root every folder can be written.
    Words words{launcher, "live", "two words"};
    if (::getuid() == 0)
        words.insert(words.begin(), {"/usr/bin/setpriv", "--reuid=65534", "--clear-groups"});
    const Outcome outcome = run_program("/usr/bin/env", words);
    for (const fs::path& folder : {temp.path(), temp / "build", temp / "build/app"})
        fs::permissions(folder, fs::perms(0755));
    expect_done(outcome);
    EXPECT_EQ(outcome.out, "ran live two words\n");
}

}  // namespace
}  // namespace saccade
