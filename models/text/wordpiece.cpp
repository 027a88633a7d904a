#include "models/text/wordpiece.h"

#include <algorithm>
#include <array>
#include <utility>

#include "models/text/unicode.h"

namespace saccade {
namespace {

bool is_chinese(char32_t c) {
    return (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0x3400 && c <= 0x4DBF) ||
           (c >= 0x20000 && c <= 0x2A6DF) || (c >= 0x2A700 && c <= 0x2B81F) ||
           (c >= 0x2B920 && c <= 0x2CEAF) || (c >= 0xF900 && c <= 0xFAFF) ||
           (c >= 0x2F800 && c <= 0x2FA1F);
}

// BERT counts all of ASCII's symbols as punctuation, "$" and "+" too, which Unicode does not.
bool separates(char32_t c) {
    if (c < 0x80) return c > ' ' && c < 0x7F && !is_letter(c) && !is_number(c);
    return is_punctuation(c);
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
    std::string result;
    size_t done = 0;
    for (size_t at; (at = text.find(from, done)) != text.npos; done = at + from.size()) {
        result.append(text, done, at - done).append(to);
    }
    if (done > 0) text = result.append(text, done);
}

// transformers' clean_up_tokenization; the order matters.
void clean_up(std::string& text) {
    static constexpr std::array<std::array<std::string_view, 2>, 10> replacements{{
        {" .", "."},
        {" ?", "?"},
        {" !", "!"},
        {" ,", ","},
        {" ' ", "'"},
        {" n't", "n't"},
        {" 'm", "'m"},
        {" 's", "'s"},
        {" 've", "'ve"},
        {" 're", "'re"},
    }};
    for (const auto& [from, to] : replacements) replace_all(text, from, to);
}

TokenizerParts normalized(TokenizerParts parts, const BertNormalizer& normalizer) {
    for (AddedToken& token : parts.added) {
        if (token.normalized) token.text = normalizer(token.text);
    }
    return parts;
}

}  // namespace

std::string BertNormalizer::operator()(std::string_view text) const {
    std::string result;
    result.reserve(text.size());
    auto append_cased = [&](char32_t c) {
        if (!lowercase) return append_utf8(result, c);
        for (char32_t lower : to_lower(c)) append_utf8(result, lower);
    };
    for (size_t at = 0; at < text.size();) {
        char32_t c = next_character(text, at);
        if (clean_text) {
            bool blank = is_space(c);
            bool tab_or_line = c == '\t' || c == '\n' || c == '\r';
            if (c == 0xFFFD || (is_other(c) && !tab_or_line)) continue;
            if (blank) c = ' ';
        }
        bool spaced = space_chinese && is_chinese(c);
        if (spaced) result += ' ';
        if (strip_accents.value_or(lowercase)) {
            for (char32_t base : without_accents(c)) append_cased(base);
        } else {
            append_cased(c);
        }
        if (spaced) result += ' ';
    }
    return result;
}

WordPiece::WordPiece(TokenizerParts parts, const WordPieceOptions& options)
    : VocabularyTokenizer(normalized(std::move(parts), options.normalizer)), options_(options) {}

std::string WordPiece::normalize(std::string_view text) const { return options_.normalizer(text); }

void WordPiece::encode_plain(std::string_view text, std::vector<uint32_t>& ids) const {
    size_t word = 0;
    auto end_word = [&](size_t end) {
        if (end > word) encode_word(text.substr(word, end - word), ids);
    };
    for (size_t at = 0; at < text.size();) {
        size_t start = at;
        char32_t c = next_character(text, at);
        bool sign = separates(c);
        if (!sign && !is_space(c)) continue;
        end_word(start);
        if (sign) encode_word(text.substr(start, at - start), ids);
        word = at;
    }
    end_word(text.size());
}

void WordPiece::encode_word(std::string_view word, std::vector<uint32_t>& ids) const {
    auto starts_character = [](char byte) {
        return (static_cast<unsigned char>(byte) & 0xC0) != 0x80;
    };
    auto unknown = [&, known = ids.size()] {
        ids.resize(known);
        ids.push_back(*special().unk);
    };
    auto characters = std::ranges::count_if(word, starts_character);
    if (static_cast<size_t>(characters) > options_.longest_word) return unknown();

    std::string token;
    for (size_t start = 0; start < word.size();) {
        token = start == 0 ? "" : options_.prefix;
        size_t before = token.size();
        size_t end = std::min(word.size(), start + vocabulary().longest());
        token.append(word, start, end - start);
        std::optional<uint32_t> id;
        for (; end > start; --end) {
            bool whole = end == word.size() || starts_character(word[end]);
            if (whole &&
                (id = vocabulary().find(std::string_view(token).substr(0, before + end - start)))) {
                break;
            }
        }
        if (!id) return unknown();
        ids.push_back(*id);
        start = end;
    }
}

std::string WordPiece::join(std::span<const std::string_view> tokens) const {
    std::string text;
    for (size_t i = 0; i < tokens.size(); ++i) {
        std::string_view token = tokens[i];
        std::string piece;
        if (i > 0 && token.starts_with(options_.prefix)) {
            piece = token.substr(options_.prefix.size());
        } else {
            piece = i > 0 ? " " : "";
            piece += token;
        }
        if (options_.clean_tokens) clean_up(piece);
        text += piece;
    }
    if (options_.clean_text) clean_up(text);
    return valid_utf8(text);
}

VocabularyTokenizer::Piece WordPiece::piece_of(std::string_view token) const {
    bool continues = token.starts_with(options_.prefix);
    if (continues) token.remove_prefix(options_.prefix.size());
    return {std::string(token), continues};
}

}  // namespace saccade
