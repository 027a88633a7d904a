#include "app/sources/files.h"

#include <glob.h>

#include <algorithm>
#include <string_view>

#include "gpu/core/error.h"

namespace saccade {

namespace {

namespace fs = std::filesystem;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Natural order: runs of digits compare as numbers, other characters as bytes.
bool comes_before(std::string_view a, std::string_view b) {
    size_t i = 0, j = 0;
    while (i < a.size() && j < b.size()) {
        if (is_digit(a[i]) && is_digit(b[j])) {
            auto number = [](std::string_view text, size_t& at) {
                while (at + 1 < text.size() && text[at] == '0' && is_digit(text[at + 1])) ++at;
                const size_t first = at;
                while (at < text.size() && is_digit(text[at])) ++at;
                return text.substr(first, at - first);
            };
            const std::string_view x = number(a, i), y = number(b, j);
            if (x.size() != y.size()) return x.size() < y.size();
            if (x != y) return x < y;
        } else if (a[i] != b[j]) {
            return static_cast<unsigned char>(a[i]) < static_cast<unsigned char>(b[j]);
        } else {
            ++i, ++j;
        }
    }
    if (a.size() - i != b.size() - j) return a.size() - i < b.size() - j;
    return a < b;  // they differ only in leading zeros
}

std::vector<fs::path> in_folder(const fs::path& folder, WantedFile wanted) {
    std::vector<fs::path> found;
    std::error_code error;
    fs::directory_iterator entries(folder, error);
    if (error)
        throw Error("the folder '" + folder.string() + "' cannot be read: check its permissions");
    for (const fs::directory_entry& entry : entries)
        if (entry.is_regular_file(error) && wanted(entry.path()) &&
            !entry.path().filename().string().starts_with("."))
            found.push_back(entry.path());
    return found;
}

std::vector<fs::path> matching(const std::string& pattern, WantedFile wanted) {
    std::vector<fs::path> found;
    glob_t matches{};
    if (::glob(pattern.c_str(), GLOB_TILDE, nullptr, &matches) == 0)
        for (size_t i = 0; i < matches.gl_pathc; ++i)
            if (fs::path path = matches.gl_pathv[i]; fs::is_regular_file(path) && wanted(path))
                found.push_back(std::move(path));
    ::globfree(&matches);
    return found;
}

}  // namespace

std::vector<fs::path> find_files(const std::string& text, WantedFile wanted) {
    std::error_code error;
    std::vector<fs::path> found =
        fs::is_directory(text, error) ? in_folder(text, wanted) : matching(text, wanted);
    std::ranges::sort(found, [](const fs::path& a, const fs::path& b) {
        return comes_before(a.native(), b.native());
    });
    return found;
}

}  // namespace saccade
