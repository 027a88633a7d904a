#include "app/io/text.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
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

constexpr std::string_view hidden = "***";

bool is_of_scheme(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '+' ||
           c == '-' || c == '.' || c == ':';
}

// The length of "rtsp://", or of "async:rtsp://"; 0 if the text does not begin like that.
size_t scheme_length(std::string_view text) {
    const size_t colon = text.find("://");
    const bool url =
        colon != text.npos && colon > 0 && std::ranges::all_of(text.substr(0, colon), is_of_scheme);
    return url ? colon + 3 : 0;
}

// Whether the text before the path's last '@' is a login. A password may contain any character.
bool has_login(std::string_view text) {
    const std::string_view head = text.substr(0, text.find_first_of("?#"));
    const size_t at = head.rfind('@');
    return at != head.npos && head.find(':') < at;
}

// Parts between the delimiters, with the values of "KEY=VALUE" hidden; of a query, parts without a
// key as well.
std::string masked_parts(std::string_view text, std::string_view delimiters, bool query) {
    std::string result;
    while (!text.empty()) {
        const size_t end = std::min(text.find_first_of(delimiters), text.size());
        const std::string_view part = text.substr(0, end);
        const size_t equals = part.find('=');
        const bool bare = equals == part.npos;
        result += part.substr(0, bare ? (query ? 0 : end) : equals + 1);
        if (!bare || (query && !part.empty())) result += hidden;
        result += text.substr(end, 1);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return result;
}

// A URL after its scheme: [LOGIN@]HOST[:PORT]/PATH?QUERY#FRAGMENT
std::string masked(std::string_view url) {
    const size_t tail = std::min(url.find_first_of("?#"), url.size());
    std::string_view head = url.substr(0, tail);
    // An '@' in the path may end a login, too, whose password has a '/' in it.
    const size_t at = head.rfind('@');
    if (at != head.npos && (has_login(head) || at < head.find('/'))) head.remove_prefix(at + 1);
    std::string_view host = head.substr(0, head.find('/'));
    const std::string_view path = head.substr(host.size());
    // Anything else than a port belongs to a password with a '?' in it.
    const size_t colon = host.ends_with(']') ? host.npos : host.rfind(':');
    const bool odd =
        colon != host.npos && host.substr(colon + 1).find_first_not_of("0123456789") != host.npos;
    if (odd) host = host.substr(0, colon + 1);
    return std::string(host)
        .append(odd ? hidden : "")
        .append(masked_parts(path, "/;&", false))
        .append(masked_parts(url.substr(tail), "?#&;", true));
}

}  // namespace

std::string for_terminal(std::string_view text) { return escaped(text, "\n\t"); }

std::string one_line(std::string_view text) { return escaped(text, ""); }

bool is_utf8(std::string_view text) {
    while (!text.empty()) {
        const Character c = first_of(text);
        if (c.bytes == 0) return false;
        text.remove_prefix(c.bytes);
    }
    return true;
}

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

std::string without_secrets(std::string_view name) {
    for (const std::string_view own : {"synth:", "screen:"})
        if (name.starts_with(own)) return std::string(name);
    const size_t begin = scheme_length(name);
    if (begin > 0) return std::string(name.substr(0, begin)) + masked(name.substr(begin));
    const size_t query = name.find('?');
    const bool suspicious =
        has_login(name) || (query != name.npos && name.find('=', query) != name.npos);
    std::error_code error;
    if (!suspicious || name.find('\n') != name.npos || std::filesystem::exists(name, error))
        return std::string(name);
    return masked(name);
}

std::string without_secrets_in(std::string_view text) {
    std::string result;
    for (size_t colon; (colon = text.find("://")) != text.npos;) {
        size_t begin = colon;
        while (begin > 0 && is_of_scheme(text[begin - 1])) --begin;
        size_t end = std::min(text.find_first_of(" \t\r\n'\"<>", colon), text.size());
        result += text.substr(0, begin);
        result += without_secrets(text.substr(begin, end - begin));
        text.remove_prefix(end);
    }
    return result.append(text);
}

}  // namespace saccade
