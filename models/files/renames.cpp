#include "models/files/renames.h"

#include <algorithm>
#include <cctype>
#include <vector>

namespace saccade {

namespace {

std::vector<std::string_view> words_of(std::string_view name) {
    std::vector<std::string_view> words;
    for (size_t dot; (dot = name.find('.')) != name.npos; name.remove_prefix(dot + 1)) {
        words.push_back(name.substr(0, dot));
    }
    words.push_back(name);
    return words;
}

bool is_number(std::string_view word) {
    return !word.empty() &&
           std::ranges::all_of(word, [](unsigned char c) { return std::isdigit(c); });
}

bool matches(std::string_view word, std::string_view pattern) {
    return pattern == "#" ? is_number(word) : word == pattern;
}

}  // namespace

std::optional<std::string> renamed(std::string_view name, const Rename& rename) {
    auto words = words_of(name);
    auto from = words_of(rename.from);
    auto first = std::search(words.begin(), words.end(), from.begin(), from.end(), matches);
    if (first == words.end()) return std::nullopt;
    auto last = first + std::ssize(from);

    auto number = std::find_if(first, last, is_number);  // the value of #
    std::string result;
    auto append = [&](std::string_view word) {
        if (!result.empty()) result += '.';
        result += word == "#" ? *number : word;
    };
    std::for_each(words.begin(), first, append);
    std::ranges::for_each(words_of(rename.to), append);
    std::for_each(last, words.end(), append);
    return result;
}

}  // namespace saccade
