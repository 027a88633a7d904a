#include "models/text/normalizer.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "gpu/core/error.h"
#include "models/text/unicode.h"

namespace saccade {
namespace {

// Python's string.punctuation.
constexpr std::string_view punctuation = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";

// Replaces runs of at least `least` characters of a kind by `by`.
template <typename Kind>
std::string replace_runs(std::string_view text, size_t least, std::string_view by, Kind kind) {
    std::string result;
    for (size_t at = 0; at < text.size();) {
        size_t end = at, next = at, count = 0;
        while (next < text.size() && kind(next_character(text, next))) {
            end = next;
            ++count;
        }
        if (count == 0) {
            end = at;
            next_character(text, end);
        }
        if (count > 0 && count >= least)
            result += by;
        else
            result += text.substr(at, end - at);
        at = end;
    }
    return result;
}

std::string without_spaces_at(std::string_view text, bool left, bool right) {
    auto trim = [&](std::string_view from) {
        size_t begin = from.size(), end = 0;
        for (size_t at = 0; at < from.size();) {
            const size_t start = at;
            if (is_space(next_character(from, at))) continue;
            begin = std::min(begin, start);
            end = at;
        }
        if (begin > end) return std::string_view();
        return from.substr(left ? begin : 0, (right ? end : from.size()) - (left ? begin : 0));
    };
    return std::string(trim(text));
}

std::string replace_all(std::string_view text, std::string_view what, std::string_view by) {
    std::string result;
    for (size_t at = 0; at < text.size();) {
        const size_t found = std::min(text.find(what, at), text.size());
        result += text.substr(at, found - at);
        if (found < text.size()) result += by;
        at = found + what.size();
    }
    return result;
}

std::string from_base64(std::string_view text, const JsonFields& step) {
    static constexpr std::string_view digits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    while (text.ends_with('=')) text.remove_suffix(1);
    std::string bytes;
    uint32_t bits = 0;
    int count = 0;
    for (char c : text) {
        const size_t digit = digits.find(c);
        if (digit == digits.npos) step.refuse("precompiled_charsmap", "is not base64");
        bits = bits << 6 | static_cast<uint32_t>(digit);
        count += 6;
        if (count < 8) continue;
        count -= 8;
        bytes += static_cast<char>(bits >> count & 0xff);
    }
    return bytes;
}

uint32_t word_at(const std::string& bytes, size_t at) {
    uint32_t word = 0;
    for (size_t i = 0; i < 4; ++i)
        word |= uint32_t(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
    return word;
}

// The characters of a regular expression [...]; nullopt if it is more than a list of characters.
std::optional<std::u32string> characters_in(std::string_view pattern) {
    if (pattern.size() < 3 || !pattern.starts_with('[') || !pattern.ends_with(']') ||
        pattern[1] == '^')
        return std::nullopt;
    pattern = pattern.substr(1, pattern.size() - 2);
    std::u32string list;
    for (size_t at = 0; at < pattern.size();) {
        const bool escaped = pattern[at] == '\\';
        if (escaped && ++at == pattern.size()) return std::nullopt;
        const char32_t character = next_character(pattern, at);
        const bool letter = character < 0x80 && (is_letter(character) || is_number(character));
        const bool range = character == '-' && !escaped && !list.empty() && at < pattern.size();
        if ((escaped && letter) || range || (!escaped && character == '[')) return std::nullopt;
        list += character;
    }
    return list;
}

}  // namespace

CharacterMap::CharacterMap(std::string bytes, const std::string& where) {
    const uint32_t size = bytes.size() < 4 ? 0 : word_at(bytes, 0);
    if (size < 4 || size % 4 != 0 || size > bytes.size() - 4)
        throw Error(where + ": precompiled_charsmap is damaged");
    for (size_t at = 4; at < 4 + size_t(size); at += 4) trie_.push_back(word_at(bytes, at));
    texts_ = bytes.substr(4 + size_t(size)) + '\0';
}

CharacterMap::Match CharacterMap::longest_at(std::string_view text) const {
    // A unit of darts-clone holds a label, whether it has a leaf, and the offset of its children; a
    // leaf holds its value.
    auto offset = [](uint32_t unit) { return (unit >> 10) << ((unit & 1u << 9) >> 6); };
    Match longest;
    size_t at = offset(trie_[0]);
    for (size_t i = 0; i < text.size(); ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        at ^= byte;
        if (byte == 0 || at >= trie_.size()) break;
        const uint32_t unit = trie_[at];
        if ((unit & (1u << 31 | 0xffu)) != byte) break;
        at ^= offset(unit);
        if (at >= trie_.size()) break;
        const size_t begin = trie_[at] & 0x7fffffffu;
        if ((unit >> 8 & 1) != 0 && begin < texts_.size())
            longest = {i + 1, std::string_view(texts_.c_str() + begin)};
    }
    return longest;
}

std::string CharacterMap::apply(std::string_view text) const {
    std::string result;
    for (size_t at = 0; at < text.size();) {
        const Match match = longest_at(text.substr(at));
        size_t end = at + match.length;
        if (match.length > 0) {
            result += match.text;
        } else {
            next_character(text, end);
            result += text.substr(at, end - at);
        }
        at = end;
    }
    return valid_utf8(result);  // the file's replacements may be invalid
}

TextNormalizer TextNormalizer::parse(const JsonFields& step) {
    TextNormalizer normalizer;
    normalizer.add(step);
    return normalizer;
}

void TextNormalizer::add(const JsonFields& step) {
    const std::string type = step.text("type");
    if (type == "Sequence") {
        const Json* const list = step.find("normalizers");
        if (!list || !list->is_array()) step.refuse("normalizers", "is not a list");
        for (const Json& one : *list) {
            const JsonFields inner(one, step.where() + ": normalizers");
            if (inner.text("type") == "Sequence")
                inner.refuse("type", "is a Sequence within a Sequence, which is not supported");
            add(inner);
        }
    } else if (type == "Lowercase") {
        add_lower_case();
    } else if (type == "NFC") {
        steps_.push_back(nfc);
    } else if (type == "NFKC") {
        steps_.push_back(nfkc);
    } else if (type == "Prepend") {
        steps_.push_back([by = step.text("prepend")](std::string_view text) {
            return text.empty() ? std::string() : by + std::string(text);
        });
    } else if (type == "Strip") {
        const bool left = step.flag("strip_left", true), right = step.flag("strip_right", true);
        steps_.push_back(
            [=](std::string_view text) { return without_spaces_at(text, left, right); });
    } else if (type == "Precompiled") {
        if (!step.has("precompiled_charsmap")) return;
        auto map = std::make_shared<CharacterMap>(
            from_base64(step.text("precompiled_charsmap"), step), step.where());
        steps_.push_back([map](std::string_view text) { return map->apply(text); });
    } else if (type == "Replace") {
        add_replace(step);
    } else {
        step.refuse("type", "is " + in_quotes(type) + ", which is not supported");
    }
}

void TextNormalizer::add_replace(const JsonFields& step) {
    const JsonFields pattern = step.object("pattern");
    const std::string by = step.text("content");
    if (pattern.has("String")) {
        const std::string what = pattern.text("String");
        if (what.empty()) pattern.refuse("String", "is empty");
        steps_.push_back([=](std::string_view text) { return replace_all(text, what, by); });
        return;
    }
    // Only the regular expressions that tokenizer files use: runs of spaces and lists of
    // characters.
    const std::string regex = pattern.text("Regex");
    if (regex == "\\s+") {
        steps_.push_back(
            [=](std::string_view text) { return replace_runs(text, 1, by, is_space); });
    } else if (regex == " {2,}") {
        steps_.push_back([=](std::string_view text) {
            return replace_runs(text, 2, by, [](char32_t c) { return c == ' '; });
        });
    } else if (const auto list = characters_in(regex)) {
        steps_.push_back([=](std::string_view text) {
            std::string result;
            for (size_t at = 0; at < text.size();) {
                const char32_t character = next_character(text, at);
                if (list->find(character) == list->npos)
                    append_utf8(result, character);
                else
                    result += by;
            }
            return result;
        });
    } else {
        pattern.refuse("Regex", "is " + in_quotes(regex) + ", which is not supported");
    }
}

void TextNormalizer::add_siglip() {
    add_lower_case();
    steps_.push_back([](std::string_view text) {
        std::string result;
        for (char c : text)
            if (punctuation.find(c) == punctuation.npos) result += c;
        return without_spaces_at(replace_runs(result, 1, " ", is_space), true, true);
    });
}

void TextNormalizer::add(const TextNormalizer& other) {
    steps_.insert(steps_.end(), other.steps_.begin(), other.steps_.end());
}

void TextNormalizer::add_lower_case() { steps_.push_back(lower_utf8); }

std::string TextNormalizer::apply(std::string_view text) const {
    std::string result(text);
    for (const Step& step : steps_) result = step(result);
    return result;
}

}  // namespace saccade
