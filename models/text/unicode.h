#pragma once

#include <cstddef>
#include <string>
#include <string_view>

// The little of Unicode that tokenizers need: UTF-8, general categories, lower case, and letters
// without their accents.
namespace saccade {

// Where the first byte lies that belongs to no UTF-8 character, npos when there is none.
size_t find_invalid_utf8(std::string_view bytes);

// The same text with each broken sequence (its longest beginning that could have become a
// character, or else one byte) replaced by U+FFFD: what Python does with errors="replace".
std::string valid_utf8(std::string_view bytes);

// Reads the character at `at` and moves past it. The text must be valid UTF-8.
char32_t next_character(std::string_view text, size_t& at);
void append_utf8(std::string& text, char32_t character);

bool is_letter(char32_t character);       // L
bool is_number(char32_t character);       // N
bool is_punctuation(char32_t character);  // P
bool is_accent(char32_t character);       // Mn: marks that take no room of their own
bool is_other(char32_t character);        // Cc, Cf, Co: control, format, private use
bool is_space(char32_t character);        // White_Space
bool is_ascii_space(char byte);

// The same text with accents and their letters put together where there is a character for both (NFC).
// The text must be valid UTF-8.
std::string composed_utf8(std::string_view text);
// The same, and characters that are only other forms of others as those: "ﬁ" as "fi" (NFKC).
std::string compatible_utf8(std::string_view text);

// In lower case. The text must be valid UTF-8.
std::string lower_utf8(std::string_view text);

// Both can give more than one character, or none.
std::u32string to_lower(char32_t character);
std::u32string without_accents(char32_t character);  // NFD, less its marks (Mn)

}  // namespace saccade
