#include "app/io/line_file.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "tests/models/files/temp_folder.h"

namespace saccade {
namespace {

std::string content(const std::filesystem::path& path) {
    std::ifstream file(path);
    return (std::stringstream() << file.rdbuf()).str();
}

TEST(LineFile, is_whole_after_every_line) {
    const TempFolder temp;
    LineFile file(temp / "lines");
    EXPECT_EQ(content(file.path()), "");
    file.add("one");
    EXPECT_EQ(content(file.path()), "one\n");
    file.add("two");
    EXPECT_EQ(content(file.path()), "one\ntwo\n");
}

TEST(LineFile, begins_anew_or_goes_on) {
    const TempFolder temp;
    LineFile(temp / "lines").add("one");
    LineFile(temp / "lines", true).add("two");
    EXPECT_EQ(content(temp / "lines"), "one\ntwo\n");
    LineFile(temp / "lines").add("three");
    EXPECT_EQ(content(temp / "lines"), "three\n");
}

TEST(LineFile, what_cannot_be_written_gets_one_line) {
    const TempFolder temp;
    expect_says(error_of([&] { LineFile(temp / "none" / "lines"); }), "none/lines");
    LineFile full("/dev/full");
    expect_says(error_of([&] { full.add("line"); }), "/dev/full");
}

}  // namespace
}  // namespace saccade
