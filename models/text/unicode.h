#pragma once

#include <cstddef>
#include <string>
#include <string_view>

// The parts of Unicode that tokenizers need: UTF-8, general categories, normalisation, lower case.
namespace saccade {

// The offset of the first byte that is not valid UTF-8, or npos.
size_t find_invalid_utf8(std::string_view bytes);

// Replaces each invalid sequence by U+FFFD, as Python's errors="replace" does: an invalid sequence
// is the longest prefix of a character, or else one byte.
std::string valid_utf8(std::string_view bytes);

// Reads the character at `at` and moves past it. The text must be valid UTF-8.
char32_t next_character(std::string_view text, size_t& at);
void append_utf8(std::string& text, char32_t character);

bool is_letter(char32_t character);       // L
bool is_number(char32_t character);       // N
bool is_punctuation(char32_t character);  // P
bool is_accent(char32_t character);       // Mn: nonspacing marks
bool is_other(char32_t character);        // Cc, Cf, Co: control, format, private use
bool is_space(char32_t character);        // White_Space
bool is_ascii_space(char byte);

// Normalisation forms and lower case of valid UTF-8.
std::string nfc(std::string_view text);
std::string nfkc(std::string_view text);
std::string lower_utf8(std::string_view text);

// Each may return any number of characters, zero too.
std::u32string to_lower(char32_t character);
std::u32string without_accents(char32_t character);  // NFD without nonspacing marks (Mn)

}  // namespace saccade
