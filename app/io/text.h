#pragma once

#include <span>
#include <string>
#include <string_view>

// Text from outside, such as file names, labels, captions and names from the Hub: anything may be
// in it, and not all of it may be passed on as it is.

namespace saccade {

// For a terminal: what could command it (control characters), or turn the reading direction, is
// written as \u001b, and a byte that is not UTF-8 as \xff. Ends of lines and tabs stay. JSON that
// is printed so is still JSON, and means the same.
std::string for_terminal(std::string_view text);
// The same in one line: ends of lines and tabs are written as \u000a and \u0009.
std::string one_line(std::string_view text);

// A to Z as a to z, whatever the machine's language; all else stays.
std::string in_lower_case(std::string_view text);

// The one of these that somebody may have meant who wrote `word`: at most a third of its letters
// would have to be changed, left out or put in. Empty where there is none.
std::string closest(std::string_view word, std::span<const std::string> words);

// A file name for JSON and CSV, which are UTF-8, while a name is any bytes. What is UTF-8 stays as
// it is. A byte that is not, 0x80 to 0xff, becomes one of the characters U+EF80 to U+EFFF; so does
// each byte of those characters themselves, should a name have them. So every name has one text,
// and the text gives the name back.
std::string text_of_name(std::string_view name);
std::string name_of_text(std::string_view text);

// An address without the name and password that may be in it; anything else as it is.
std::string without_password(const std::string& address);

}  // namespace saccade
