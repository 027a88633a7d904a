#include "app/frame/source_name.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <set>

#include "tests/places.h"

namespace saccade {
namespace {

namespace fs = std::filesystem;

TEST(SourceNameTest, its_text_is_without_secrets_and_it_still_opens_the_camera) {
    const SourceName camera("rtsp://me:secret@camera/a?key=secret");
    EXPECT_EQ(camera.text(), "rtsp://camera/a?key=***");
    EXPECT_EQ(camera.unmasked(), "rtsp://me:secret@camera/a?key=secret");
    EXPECT_NE(camera, SourceName("rtsp://me:other@camera/a?key=other")) << "they read alike";
}

TEST(SourceNameTest, the_path_of_a_file_stays_as_it_is) {
    const std::string file = "7:30@home?k=v.mp4";
    EXPECT_EQ(SourceName(fs::path(file)).text(), file);
    EXPECT_EQ(SourceName(fs::path(file)), SourceName(file));
}

// A new use of unmasked() is a place from which a password may leave: check that it does not, then
// add its file here.
TEST(SourceNameTest, its_secrets_are_read_only_where_sources_are_opened_found_or_remembered) {
    const std::set<std::string> allowed = {
        "app/frame/source_name.h",          // the type
        "app/frame/source.h",               // is_synth
        "app/sources/open_source.cpp",      // opens
        "app/sources/stream.cpp",           // opens
        "app/sources/pictures.cpp",         // the files of a list
        "app/batch/batch_folder.cpp",       // the file whose sound is copied
        "app/batch/plan/examine.cpp",       // whether it is a file
        "app/batch/plan/inputs.cpp",        // folders and globs
        "app/batch/plan/plan.cpp",          // whether it is a file
        "app/batch/stage_rates.cpp",        // plans
        "app/live/state/settings.cpp",      // recent sources, in a file for the user alone
        "app/live/view/source_offers.cpp",  // recent sources
        "app/track/region_store.cpp",       // the digest in a file's name
    };
    const fs::path root = fs::path(places::tests()).parent_path();
    std::set<std::string> found;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / "app")) {
        const std::string extension = entry.path().extension().string();
        if (extension != ".cpp" && extension != ".h") continue;
        std::ifstream file(entry.path());
        const std::string text{std::istreambuf_iterator<char>(file), {}};
        if (text.find("unmasked()") != text.npos)
            found.insert(entry.path().lexically_relative(root).string());
    }
    EXPECT_EQ(found, allowed);
}

}  // namespace
}  // namespace saccade
