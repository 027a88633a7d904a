#include "models/text/unicode.h"

#include <utf8proc.h>

#include <cstdlib>
#include <memory>

#include <array>
#include <cstdint>

namespace saccade {
namespace {

utf8proc_category_t category_of(char32_t character) {
    return utf8proc_category(static_cast<utf8proc_int32_t>(character));
}

// Unicode's one-letter categories (L, N, P) are ranges of utf8proc's two-letter ones.
bool is_within(char32_t character, utf8proc_category_t first, utf8proc_category_t last) {
    const utf8proc_category_t category = category_of(character);
    return category >= first && category <= last;
}

// The character at the start of `bytes`. An invalid sequence has length 1 or more.
struct Sequence {
    char32_t character = 0xFFFD;
    size_t length = 1;
    bool valid = false;
};

Sequence read_sequence(std::string_view bytes) {
    auto lead = static_cast<unsigned char>(bytes[0]);
    if (lead < 0x80) return {lead, 1, true};
    if (lead < 0xC2 || lead > 0xF4) return {};
    size_t length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    // The range of the second byte excludes overlong forms, surrogates, and values past U+10FFFF.
    unsigned char least = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    unsigned char most = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    char32_t character = lead & (0x7Fu >> length);
    for (size_t i = 1; i < length; ++i) {
        if (i == bytes.size()) return {0xFFFD, i, false};
        auto byte = static_cast<unsigned char>(bytes[i]);
        if (byte < least || byte > most) return {0xFFFD, i, false};
        character = character << 6 | (byte & 0x3Fu);
        least = 0x80;
        most = 0xBF;
    }
    return {character, length, true};
}

}  // namespace

size_t find_invalid_utf8(std::string_view bytes) {
    for (size_t at = 0; at < bytes.size();) {
        Sequence sequence = read_sequence(bytes.substr(at));
        if (!sequence.valid) return at;
        at += sequence.length;
    }
    return bytes.npos;
}

std::string valid_utf8(std::string_view bytes) {
    std::string text;
    text.reserve(bytes.size());
    for (size_t at = 0; at < bytes.size();) {
        Sequence sequence = read_sequence(bytes.substr(at));
        append_utf8(text, sequence.character);
        at += sequence.length;
    }
    return text;
}

char32_t next_character(std::string_view text, size_t& at) {
    Sequence sequence = read_sequence(text.substr(at));
    at += sequence.length;
    return sequence.character;
}

void append_utf8(std::string& text, char32_t character) {
    std::array<utf8proc_uint8_t, 4> bytes{};
    const utf8proc_ssize_t count =
        utf8proc_encode_char(static_cast<utf8proc_int32_t>(character), bytes.data());
    text.append(bytes.begin(), bytes.begin() + count);
}

bool is_letter(char32_t character) {
    return is_within(character, UTF8PROC_CATEGORY_LU, UTF8PROC_CATEGORY_LO);
}
bool is_number(char32_t character) {
    return is_within(character, UTF8PROC_CATEGORY_ND, UTF8PROC_CATEGORY_NO);
}
bool is_punctuation(char32_t character) {
    return is_within(character, UTF8PROC_CATEGORY_PC, UTF8PROC_CATEGORY_PO);
}
bool is_accent(char32_t character) { return category_of(character) == UTF8PROC_CATEGORY_MN; }
bool is_other(char32_t character) {
    const utf8proc_category_t category = category_of(character);
    return category == UTF8PROC_CATEGORY_CC || category == UTF8PROC_CATEGORY_CF ||
           category == UTF8PROC_CATEGORY_CO;
}

bool is_ascii_space(char byte) { return byte == ' ' || (byte >= '\t' && byte <= '\r'); }

// utf8proc lacks the property White_Space: the separators (Z) and six control characters.
bool is_space(char32_t character) {
    if (character < 0x80) return is_ascii_space(static_cast<char>(character));
    return character == 0x85 || is_within(character, UTF8PROC_CATEGORY_ZS, UTF8PROC_CATEGORY_ZP);
}

std::u32string to_lower(char32_t character) {
    // The only character whose lower case is two characters; utf8proc maps one to one.
    if (character == 0x130) return {'i', 0x307};
    return {static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(character)))};
}

std::string lower_utf8(std::string_view text) {
    std::string lower;
    for (size_t at = 0; at < text.size();)
        for (char32_t character : to_lower(next_character(text, at))) append_utf8(lower, character);
    return lower;
}

std::u32string without_accents(char32_t character) {
    std::array<utf8proc_int32_t, 8> parts{};  // the longest canonical decomposition has four
    int ignored = 0;
    const utf8proc_ssize_t count = utf8proc_decompose_char(
        static_cast<utf8proc_int32_t>(character), parts.data(),
        static_cast<utf8proc_ssize_t>(parts.size()), UTF8PROC_DECOMPOSE, &ignored);
    std::u32string bases;
    for (utf8proc_ssize_t i = 0; i < count; ++i) {
        const auto part = static_cast<char32_t>(parts[static_cast<size_t>(i)]);
        if (!is_accent(part)) bases += part;
    }
    return bases;
}

namespace {

std::string mapped_utf8(std::string_view text, int options) {
    utf8proc_uint8_t* made = nullptr;
    const auto length = static_cast<utf8proc_ssize_t>(text.size());
    const utf8proc_ssize_t size =
        utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()), length, &made,
                     static_cast<utf8proc_option_t>(options));
    if (size < 0) return std::string(text);
    const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owned(made, std::free);
    return {reinterpret_cast<const char*>(made), static_cast<size_t>(size)};
}

}  // namespace

std::string nfc(std::string_view text) {
    return mapped_utf8(text, UTF8PROC_STABLE | UTF8PROC_COMPOSE);
}

std::string nfkc(std::string_view text) {
    return mapped_utf8(text, UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT);
}

}  // namespace saccade
