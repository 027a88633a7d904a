// Holds the folders of app, models and gpu to the plan in tests/rooms.txt, the folders of all
// sources to few entries, and every kernel to the room of its family.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "shaders/embedded.h"
#include "tests/places.h"

namespace saccade {
namespace {

namespace fs = std::filesystem;

const fs::path root = fs::path(places::tests()).parent_path();
constexpr size_t most_entries = 14;

using Rooms = std::map<std::string, std::set<std::string>>;

// What the table allows: each room with the rooms that it may use.
Rooms allowed_arrows() {
    std::ifstream file(root / "tests" / "rooms.txt");
    EXPECT_TRUE(file) << "tests/rooms.txt is missing";
    Rooms rooms;
    for (std::string line; std::getline(file, line);) {
        const size_t colon = line.find(':');
        if (line.starts_with("#") || colon == line.npos) continue;
        std::set<std::string>& uses = rooms[line.substr(0, colon)];
        std::istringstream words(line.substr(colon + 1));
        for (std::string word; words >> word;) uses.insert(word);
    }
    return rooms;
}

bool is_source(const fs::path& file) {
    return file.extension() == ".cpp" || file.extension() == ".h";
}

std::string text_of(const fs::path& file) {
    std::ifstream stream(file);
    return {std::istreambuf_iterator<char>(stream), {}};
}

// Folders of data: models, pictures, golden cases, seeds of fuzzers.
const std::set<std::string> data_folders = {"pretrained", "assets", "golden", "seeds", "stored"};

// Calls visit(room, file) for every file of these folders, but for those of data.
template <typename Visit>
void for_each_file(std::initializer_list<const char*> floors, const Visit& visit) {
    for (const char* floor : floors)
        for (fs::recursive_directory_iterator it(root / floor), end; it != end; ++it) {
            if (it->is_directory() && data_folders.contains(it->path().filename()))
                it.disable_recursion_pending();
            else if (it->is_regular_file())
                visit(it->path().parent_path().lexically_relative(root).string(), it->path());
        }
}

// The rooms of this project's headers that a file includes.
std::set<std::string> included_rooms(const fs::path& file) {
    std::set<std::string> rooms;
    std::ifstream stream(file);
    for (std::string line; std::getline(stream, line);) {
        constexpr std::string_view include = "#include \"";
        if (!line.starts_with(include)) continue;
        const std::string header = line.substr(include.size(), line.rfind('"') - include.size());
        if (header.starts_with("app/") || header.starts_with("models/") ||
            header.starts_with("gpu/"))
            rooms.insert(fs::path(header).parent_path().string());
    }
    return rooms;
}

TEST(RoomsTest, include_only_what_the_table_allows) {
    const Rooms allowed = allowed_arrows();
    size_t files = 0;
    for_each_file({"app", "models", "gpu"}, [&](const std::string& room, const fs::path& file) {
        if (!is_source(file)) return;
        ++files;
        const auto row = allowed.find(room);
        ASSERT_NE(row, allowed.end()) << room << " is not in tests/rooms.txt";
        for (const std::string& other : included_rooms(file))
            EXPECT_TRUE(other == room || row->second.contains(other))
                << file.lexically_relative(root) << " includes from " << other
                << ", which tests/rooms.txt does not allow to " << room;
    });
    EXPECT_GT(files, 200u);
}

TEST(RoomsTest, use_every_arrow_of_the_table) {
    Rooms unused = allowed_arrows();
    for_each_file({"app", "models", "gpu"}, [&](const std::string& room, const fs::path& file) {
        if (!is_source(file)) return;
        for (const std::string& other : included_rooms(file)) unused[room].erase(other);
    });
    for (const auto& [room, others] : unused)
        for (const std::string& other : others)
            ADD_FAILURE() << room << " no longer uses " << other << ": take it out of rooms.txt";
}

// A room is visited when all that it uses has been; what remains can reach itself.
TEST(RoomsTest, have_arrows_that_go_one_way) {
    Rooms rest = allowed_arrows();
    for (bool progress = true; progress;) {
        progress = false;
        for (auto it = rest.begin(); it != rest.end();) {
            bool done = true;
            for (const std::string& other : it->second) done &= !rest.contains(other);
            progress |= done;
            it = done ? rest.erase(it) : std::next(it);
        }
    }
    for (const auto& [room, others] : rest)
        ADD_FAILURE() << room << " is part of, or uses, a circle of rooms";
}

// A .cpp and its .h count as one entry, and so do the shaders NAME.comp, NAME.tiled.comp and
// NAME.tiled.glsl.
std::string entry_of(const fs::path& file) {
    const std::string name = file.filename();
    const bool is_code =
        is_source(file) || file.extension() == ".comp" || file.extension() == ".glsl";
    return is_code ? name.substr(0, name.find('.')) : name;
}

TEST(RoomsTest, hold_few_entries) {
    std::map<std::string, std::set<std::string>> entries;
    for_each_file({"app", "models", "gpu", "shaders", "tests"},
                  [&](const std::string& room, const fs::path& file) {
                      entries[room].insert(entry_of(file));
                  });
    EXPECT_GT(entries.size(), 60u);
    for (const auto& [room, names] : entries)
        EXPECT_LE(names.size(), most_entries) << room << " is full: find its second idea";
}

// NAME.comp is embedded as NAME, NAME.f32 and so on. A compiler that lacks an extension leaves
// shaders out.
bool is_part_of_the_program(const fs::path& shader) {
    if (text_of(shader).find("\n// requires:") != std::string::npos) return true;
    const std::string name = shader.stem();
    return std::ranges::any_of(embedded_shaders(), [&](const EmbeddedShader& embedded) {
        return embedded.name == name || embedded.name.starts_with(name + ".");
    });
}

// shaders/FAMILY/NAME.comp is recorded by gpu/ops/FAMILY/NAME.cpp, listed in gpu/ops/FAMILY.h and
// tried by tests/gpu/ops/FAMILY/NAME_test.cpp. CMake refuses a shader without a test.
TEST(RoomsTest, hold_each_kernel_its_operation_and_its_test_in_the_room_of_one_family) {
    const std::map<std::string, std::string> declared_otherwise = {
        {"fit_range", "stretch_to_range"},  // one kernel of two operations
    };
    size_t kernels = 0;
    for_each_file({"shaders"}, [&](const std::string& room, const fs::path& file) {
        if (file.extension() != ".comp") return;
        ++kernels;
        const std::string family = fs::path(room).filename(), name = entry_of(file);
        SCOPED_TRACE(file.lexically_relative(root).string());
        EXPECT_EQ(fs::path(room).parent_path(), "shaders");
        EXPECT_TRUE(fs::exists(root / "tests/gpu/ops" / family / (name + "_test.cpp")));
        EXPECT_TRUE(is_part_of_the_program(file)) << "it was not compiled";
        if (family == "chains")
            return;  // several operations in one dispatch: they have no function of their own
        EXPECT_TRUE(fs::exists(root / "gpu/ops" / family / (name + ".cpp")));
        const auto other = declared_otherwise.find(name);
        const std::string function = other == declared_otherwise.end() ? name : other->second;
        const std::regex declaration("\\b" + function + "(_into|_in_place)?\\(Commands& c");
        EXPECT_TRUE(std::regex_search(text_of(root / "gpu/ops" / (family + ".h")), declaration))
            << "gpu/ops/" << family << ".h does not declare " << function;
    });
    EXPECT_GT(kernels, 80u);
}

}  // namespace
}  // namespace saccade
