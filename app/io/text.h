#pragma once

#include <span>
#include <string>
#include <string_view>

// Text that is made safe for output: untrusted text, such as file names, labels, captions and names
// from the Hub, is escaped; URLs lose their secrets.

namespace saccade {

// For a terminal: control characters and characters that change the reading direction are escaped
// as \u001b, bytes that are not UTF-8 as \xff. Newlines and tabs stay. Escaped JSON is still the
// same JSON.
std::string for_terminal(std::string_view text);
// The same in one line: newlines and tabs are escaped as \u000a and \u0009.
std::string one_line(std::string_view text);

bool is_utf8(std::string_view text);

// ASCII to lower case, in any locale; other characters stay.
std::string in_lower_case(std::string_view text);

// The word that `word` may be a typing error of: the nearest by edit distance, at most a third of
// the letters. Empty if there is none.
std::string closest(std::string_view word, std::span<const std::string> words);

// Converts a file name, which is any bytes, to UTF-8 for JSON and CSV, and back without loss. Valid
// UTF-8 stays. A byte that is not, 0x80 to 0xff, becomes one of the characters U+EF80 to U+EFFF; so
// does each byte of those characters themselves.
std::string text_of_name(std::string_view name);
std::string name_of_text(std::string_view text);

// What a user has typed to open something, without its secrets: the user and password of a URL are
// left out, and the values of its query and of KEY=VALUE in its path are "***". The same for text
// that looks like a URL without its scheme and names no file. Any other text stays.
std::string without_secrets(std::string_view name);
// The same for every URL in a text, such as an error: a URL ends at a space or a quotation mark.
std::string without_secrets_in(std::string_view text);

}  // namespace saccade
