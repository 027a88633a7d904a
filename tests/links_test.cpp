// Follows every relative link and picture in the repository's Markdown files.

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/places.h"

namespace saccade {
namespace {

namespace fs = std::filesystem;

const fs::path repository = fs::path(places::tests()).parent_path();

std::string markdown_of(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<fs::path> markdown_files() {
    std::vector<fs::path> files;
    for (fs::recursive_directory_iterator it(repository), end; it != end; ++it) {
        const std::string name = it->path().filename();
        if (it->is_directory() && (name.starts_with("build") || name == ".git"))
            it.disable_recursion_pending();
        else if (it->is_regular_file() && it->path().extension() == ".md")
            files.push_back(it->path());
    }
    return files;
}

// The lines outside of fenced code blocks.
std::vector<std::string> prose_lines(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    bool fenced = false;
    for (std::string line; std::getline(stream, line);) {
        const bool fence = line.find("```") == line.find_first_not_of(' ') && !line.empty();
        if (fence) fenced = !fenced;
        if (!fenced && !fence) lines.push_back(line);
    }
    return lines;
}

std::string without_inline_code(const std::string& text) {
    std::string result;
    bool code = false;
    for (const char c : text)
        if (c == '`')
            code = !code;
        else if (!code)
            result += c;
    return result;
}

// The targets of [text](target) and ![text](target), without titles.
std::vector<std::string> targets_in(const std::string& text) {
    std::string prose;
    for (const std::string& line : prose_lines(text)) prose += line + "\n";
    prose = without_inline_code(prose);
    std::vector<std::string> targets;
    for (size_t at = 0; (at = prose.find("](", at)) != prose.npos;) {
        at += 2;
        const std::string target = prose.substr(at, prose.find(')', at) - at);
        targets.push_back(target.substr(0, target.find_first_of(" \n")));
    }
    return targets;
}

// [text](target) -> text
std::string without_links(std::string text) {
    for (size_t middle; (middle = text.find("](")) != text.npos;) {
        text.erase(middle, text.find(')', middle) + 1 - middle);
        if (const size_t open = text.rfind('[', middle); open != text.npos) text.erase(open, 1);
    }
    return text;
}

// GitHub's anchor of a heading: lower case, hyphens for spaces, and no punctuation.
std::string slug_of(const std::string& heading) {
    std::string slug;
    for (const char c : without_links(heading)) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == ' ')
            slug += '-';
        else if (std::isalnum(byte) || c == '-' || c == '_' || byte >= 0x80)
            slug += static_cast<char>(std::tolower(byte));
    }
    return slug;
}

// All anchors of a file; headings of the same text are numbered: notes, notes-1, notes-2.
std::set<std::string> anchors_in(const std::string& text) {
    std::set<std::string> anchors;
    std::map<std::string, int> seen;
    for (const std::string& line : prose_lines(text)) {
        const size_t level = line.find_first_not_of('#');
        if (level == 0 || level > 6 || level == line.npos || line[level] != ' ') continue;
        const std::string slug = slug_of(line.substr(level + 1));
        const int before = seen[slug]++;
        anchors.insert(before == 0 ? slug : slug + "-" + std::to_string(before));
    }
    return anchors;
}

bool is_local(const std::string& target) {
    return target.find("://") == target.npos && !target.starts_with("mailto:");
}

TEST(LinksTest, have_the_anchors_that_github_gives_to_headings) {
    const std::set<std::string> anchors = anchors_in(
        "# What `--zones` does\n## Tracks, lines\n```sh\n# no heading\n```\n## Tracks, lines\n"
        "### [Files](a.md) & more\n#no-heading\n");
    EXPECT_EQ(anchors, (std::set<std::string>{"what---zones-does", "tracks-lines", "tracks-lines-1",
                                              "files--more"}));
}

TEST(LinksTest, are_found_outside_of_code) {
    const std::vector<std::string> targets = targets_in(
        "[a\nb](c.md#d) ![e](f.png \"g\") `[h](i.md)`\n```\n[j](k.md)\n```\n[`l`](m/)\n");
    EXPECT_EQ(targets, (std::vector<std::string>{"c.md#d", "f.png", "m/"}));
}

TEST(LinksTest, lead_to_files_and_headings_that_exist) {
    size_t followed = 0;
    for (const fs::path& file : markdown_files())
        for (const std::string& target : targets_in(markdown_of(file))) {
            if (!is_local(target)) continue;
            ++followed;
            SCOPED_TRACE(file.lexically_relative(repository).string() + " links to " + target);
            const size_t hash = std::min(target.find('#'), target.size());
            const std::string path = target.substr(0, hash);
            const fs::path to = path.empty() ? file : file.parent_path() / path;
            if (!fs::exists(to)) {
                ADD_FAILURE() << "there is no such file";
            } else if (hash < target.size() && to.extension() == ".md") {
                EXPECT_TRUE(anchors_in(markdown_of(to)).contains(target.substr(hash + 1)))
                    << "the file has no such heading";
            }
        }
    EXPECT_GT(followed, 50u);
}

}  // namespace
}  // namespace saccade
