#include "app/io/text.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <utility>
#include <vector>

namespace saccade {

namespace {

struct Character {
    char32_t code = 0;
    size_t bytes = 0;  // 0: the text does not begin with UTF-8
};

Character first_of(std::string_view text) {
    auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
    if (text.empty()) return {};
    const uint8_t lead = byte(0);
    if (lead < 0x80) return {lead, 1};
    const size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0xc2 || lead > 0xf4 || text.size() < bytes) return {};
    char32_t code = lead & (0x7fu >> bytes);
    for (size_t i = 1; i < bytes; ++i) {
        if ((byte(i) & 0xc0) != 0x80) return {};
        code = code << 6 | (byte(i) & 0x3f);
    }
    // Overlong, a surrogate, or beyond U+10FFFF.
    const bool sound = bytes == 2 ||
                       (bytes == 3 && code >= 0x800 && (code < 0xd800 || code > 0xdfff)) ||
                       (bytes == 4 && code >= 0x10000 && code <= 0x10ffff);
    return sound ? Character{code, bytes} : Character{};
}

bool commands(char32_t code) {
    return code < 0x20 || (code >= 0x7f && code < 0xa0) ||       // control characters
           code == 0x61c || code == 0x200e || code == 0x200f ||  // direction marks
           (code >= 0x2028 && code <= 0x202e) ||                 // line separators, embeddings
           (code >= 0x2066 && code <= 0x2069);                   // isolates
}

std::string escaped(std::string_view text, std::string_view kept) {
    std::string result;
    char escape[16];
    while (!text.empty()) {
        const Character c = first_of(text);
        const size_t bytes = c.bytes ? c.bytes : 1;
        if (c.bytes == 0) {
            std::snprintf(escape, sizeof escape, "\\x%02x", static_cast<uint8_t>(text[0]));
            result += escape;
        } else if (commands(c.code) && kept.find(text[0]) == kept.npos) {
            std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(c.code));
            result += escape;
        } else {
            result += text.substr(0, bytes);
        }
        text.remove_prefix(bytes);
    }
    return result;
}

// U+EF80 + n stands for the byte 0x80 + n.
constexpr char32_t first_byte = 0xef80, last_byte = 0xefff;

bool stands_for_byte(const Character& c) { return c.code >= first_byte && c.code <= last_byte; }

}  // namespace

std::string for_terminal(std::string_view text) { return escaped(text, "\n\t"); }

std::string one_line(std::string_view text) { return escaped(text, ""); }

std::string in_lower_case(std::string_view text) {
    std::string result(text);
    for (char& c : result)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 'a' - 'A');
    return result;
}

std::string closest(std::string_view word, std::span<const std::string> words) {
    size_t fewest = std::max<size_t>(word.size() / 3, 1) + 1;
    std::string best;
    for (const std::string& other : words) {
        // Levenshtein distance, row by row: from the first i letters of `word` to each prefix of
        // the other.
        std::vector<size_t> row(other.size() + 1);
        std::iota(row.begin(), row.end(), size_t{0});
        for (size_t i = 0; i < word.size(); ++i) {
            size_t diagonal = std::exchange(row[0], i + 1);
            for (size_t j = 0; j < other.size(); ++j) {
                const size_t changed = diagonal + (word[i] == other[j] ? 0 : 1);
                diagonal = row[j + 1];
                row[j + 1] = std::min({changed, diagonal + 1, row[j] + 1});
            }
        }
        if (row.back() < fewest) {
            fewest = row.back();
            best = other;
        }
    }
    return best;
}

std::string text_of_name(std::string_view name) {
    std::string text;
    while (!name.empty()) {
        const Character c = first_of(name);
        const size_t bytes = c.bytes ? c.bytes : 1;
        if (c.bytes == 0 || stands_for_byte(c)) {
            for (const char one : name.substr(0, bytes)) {
                const auto byte = static_cast<uint8_t>(one);  // 0xee 0xbe 0x80 to 0xee 0xbf 0xbf
                text += {'\xee', static_cast<char>(0xbe + ((byte - 0x80) >> 6)),
                         static_cast<char>(0x80 | (byte & 0x3f))};
            }
        } else {
            text += name.substr(0, bytes);
        }
        name.remove_prefix(bytes);
    }
    return text;
}

std::string name_of_text(std::string_view text) {
    std::string name;
    while (!text.empty()) {
        const Character c = first_of(text);
        const size_t bytes = c.bytes ? c.bytes : 1;
        if (c.bytes && stands_for_byte(c))
            name += static_cast<char>(0x80 + (c.code - first_byte));
        else
            name += text.substr(0, bytes);
        text.remove_prefix(bytes);
    }
    return name;
}

std::string without_password(const std::string& address) {
    const size_t scheme = address.find("://");
    if (scheme == address.npos) return address;
    const size_t host = scheme + 3, path = std::min(address.find('/', host), address.size());
    const size_t at = address.rfind('@', path);
    if (at == address.npos || at < host) return address;
    return address.substr(0, host) + address.substr(at + 1);
}

}  // namespace saccade
