// Holds the folders of app, models and gpu to the plan in tests/rooms.txt.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>

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

// Calls visit(room, file) for every file of the house. Folders of data (a model, pictures) are not
// rooms.
template <typename Visit>
void for_each_file(const Visit& visit) {
    for (const char* floor : {"app", "models", "gpu"})
        for (fs::recursive_directory_iterator it(root / floor), end; it != end; ++it) {
            const std::string name = it->path().filename();
            if (it->is_directory() && (name == "pretrained" || name == "assets"))
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
    for_each_file([&](const std::string& room, const fs::path& file) {
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
    for_each_file([&](const std::string& room, const fs::path& file) {
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

TEST(RoomsTest, hold_few_entries) {
    std::map<std::string, std::set<std::string>> entries;  // a .cpp and its .h count as one
    for_each_file([&](const std::string& room, const fs::path& file) {
        entries[room].insert(is_source(file) ? file.stem().string() : file.filename().string());
    });
    for (const auto& [room, names] : entries)
        EXPECT_LE(names.size(), most_entries) << room << " is full: find its second idea";
}

}  // namespace
}  // namespace saccade
