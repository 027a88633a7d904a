#include "models/text/vocabulary_tokenizer.h"

#include <algorithm>
#include <array>
#include <utility>

#include "gpu/core/error.h"
#include "models/files/json.h"
#include "models/text/unicode.h"

namespace saccade {
namespace {

bool is_word_character(char32_t character) {
    return is_letter(character) || is_number(character) || is_accent(character) || character == '_';
}

size_t start_of_last_character(std::string_view text) {
    size_t at = text.size() - 1;
    while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) --at;
    return at;
}

bool ends_in_word(std::string_view text) {
    if (text.empty()) return false;
    size_t at = start_of_last_character(text);
    return is_word_character(next_character(text, at));
}

bool starts_with_word(std::string_view text) {
    size_t at = 0;
    return !text.empty() && is_word_character(next_character(text, at));
}

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && is_ascii_space(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_ascii_space(text.back())) text.remove_suffix(1);
    return text;
}

// Punctuation that follows a word without a space.
bool closes_word(std::string_view text) {
    static constexpr std::u32string_view closing =
        U".,;:!?%)]}'\u2019\u201D\u2026\u3001\u3002\uFF01\uFF0C\uFF1A\uFF1B\uFF1F";
    if (find_invalid_utf8(text) != text.npos) return false;
    for (size_t at = 0; at < text.size();) {
        if (closing.find(next_character(text, at)) == closing.npos) return false;
    }
    return true;
}

// The part of "it's" and "don't" after the apostrophe.
bool ends_contraction(std::string_view text) {
    static constexpr std::array<std::string_view, 7> endings{"s", "t", "re", "ve", "m", "ll", "d"};
    return std::ranges::find(endings, text) != endings.end();
}

}  // namespace

std::string token_in_quotes(std::string_view token) {
    constexpr size_t longest = 32;
    if (token.size() <= longest) return in_quotes(token);
    return in_quotes(token.substr(0, start_of_last_character(token.substr(0, longest)))) + "...";
}

void Vocabulary::add(const std::string& token, uint32_t id, const std::string& where) {
    add_to(ids_, token, id, where);
    longest_ = std::max(longest_, token.size());
}

void Vocabulary::add_added_token(const std::string& token, uint32_t id, const std::string& where) {
    add_to(added_, token, id, where);
}

void Vocabulary::add_to(TextMap<uint32_t>& ids, const std::string& token, uint32_t id,
                        const std::string& where) {
    if (token.empty()) throw Error(where + ": has an empty token (id " + std::to_string(id) + ")");
    auto [entry, is_new] = ids.try_emplace(token, id);
    if (!is_new) throw Error(where + ": has the token " + token_in_quotes(token) + " twice");
    auto [other, is_free] = tokens_.try_emplace(id, &entry->first);
    if (!is_free) {
        throw Error(where + ": gives the id " + std::to_string(id) + " to both " +
                    token_in_quotes(*other->second) + " and " + token_in_quotes(token));
    }
    size_ = std::max(size_, id + 1);
}

std::optional<uint32_t> Vocabulary::find(std::string_view token) const {
    auto found = ids_.find(token);
    return found == ids_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<uint32_t> Vocabulary::find_any(std::string_view token) const {
    auto found = added_.find(token);
    return found == added_.end() ? find(token) : std::optional(found->second);
}

const std::string* Vocabulary::token(uint32_t id) const {
    auto found = tokens_.find(id);
    return found == tokens_.end() ? nullptr : found->second;
}

void AddedTokens::add(const AddedToken& token) {
    if (token.text.empty()) return;  // normalisation removed all of it, so it never matches
    tokens_.insert_or_assign(token.text, token);
    lengths_.insert(token.text.size());
    first_bytes_.insert(token.text.front());
}

const AddedToken* AddedTokens::longest_at(std::string_view text) const {
    if (!first_bytes_.contains(text.front())) return nullptr;
    for (size_t length : lengths_) {
        if (length > text.size()) continue;
        auto found = tokens_.find(text.substr(0, length));
        if (found != tokens_.end()) return &found->second;
    }
    return nullptr;
}

std::vector<AddedTokens::Part> AddedTokens::split(std::string_view text) const {
    std::vector<Part> parts;
    size_t done = 0;
    auto ordinary_until = [&](size_t end) {
        if (end > done) parts.push_back({text.substr(done, end - done), std::nullopt});
    };
    for (size_t at = 0; at < text.size();) {
        const AddedToken* token = longest_at(text.substr(at));
        if (!token) {
            ++at;
            continue;
        }
        size_t start = at;
        size_t end = at + token->text.size();
        at = end;
        bool inside_word =
            ends_in_word(text.substr(0, start)) || starts_with_word(text.substr(end));
        if (token->whole_word && inside_word) continue;
        while (token->strip_left && start > done) {
            size_t last = start_of_last_character(text.substr(0, start));
            size_t next = last;
            if (!is_space(next_character(text, next))) break;
            start = last;
        }
        while (token->strip_right && end < text.size()) {
            size_t next = end;
            if (!is_space(next_character(text, next))) break;
            end = next;
        }
        ordinary_until(start);
        parts.push_back({text.substr(start, end - start), token->id});
        done = end;
        at = std::max(at, done);
    }
    ordinary_until(text.size());
    return parts;
}

VocabularyTokenizer::VocabularyTokenizer(TokenizerParts parts)
    : where_(std::move(parts.where)),
      vocabulary_(std::move(parts.vocabulary)),
      special_(parts.special),
      enclose_(parts.enclose) {
    for (const AddedToken& token : parts.added) {
        if (token.special) special_set_.insert(token.id);
        (token.normalized ? in_normalized_ : in_text_).add(token);
        if (token.normalized) normalized_.emplace(token.id, token.text);
    }
}

std::vector<uint32_t> VocabularyTokenizer::ids_of(std::string_view text, bool add_special) const {
    std::vector<uint32_t> ids;
    if (add_special && enclose_ && special_.cls) ids.push_back(*special_.cls);
    std::string valid = valid_utf8(text);
    for (const AddedTokens::Part& part : in_text_.split(valid)) {
        if (part.id) {
            ids.push_back(*part.id);
            continue;
        }
        std::string normal = normalize(part.text);
        for (const AddedTokens::Part& inner : in_normalized_.split(normal)) {
            if (inner.id) {
                ids.push_back(*inner.id);
            } else {
                encode_plain(inner.text, ids);
            }
        }
    }
    if (add_special && enclose_ && special_.sep) ids.push_back(*special_.sep);
    return ids;
}

const std::string* VocabularyTokenizer::token_text(uint32_t id) const {
    auto written = normalized_.find(id);
    return written == normalized_.end() ? vocabulary_.token(id) : &written->second;
}

std::string VocabularyTokenizer::text_of(std::span<const uint32_t> ids, bool skip_special) const {
    std::vector<std::string_view> tokens;
    for (uint32_t id : ids) {
        const std::string* token = token_text(id);
        if (token && !(skip_special && is_special(id))) tokens.push_back(*token);
    }
    return join(tokens);
}

std::string VocabularyTokenizer::piece(uint32_t id) const {
    const std::string* token = token_text(id);
    return token ? valid_utf8(piece_of(*token).bytes) : "";
}

std::vector<Word> VocabularyTokenizer::words(std::span<const uint32_t> ids) const {
    std::vector<Word> words;
    bool open = false;              // the next token may continue the last word
    bool after_apostrophe = false;  // the last token is an apostrophe
    for (size_t i = 0; i < ids.size(); ++i) {
        const std::string* token = is_special(ids[i]) ? nullptr : token_text(ids[i]);
        Piece piece = token ? piece_of(*token) : Piece{};
        std::string_view text = trimmed(piece.bytes);
        if (text.empty()) {
            open = false;
            continue;
        }
        bool continues =
            piece.continues || closes_word(text) || (after_apostrophe && ends_contraction(text));
        if (!open || !continues) words.push_back({.first = i});
        words.back().text += text;
        words.back().count += 1;
        open = !is_ascii_space(piece.bytes.back());
        after_apostrophe = text == "'";
    }
    // A character's bytes may be spread over several tokens, so only whole words are valid UTF-8.
    for (Word& word : words) word.text = valid_utf8(word.text);
    return words;
}

void VocabularyTokenizer::check_against(uint32_t vocab_size, const std::string& where) const {
    constexpr uint32_t padding = 128;  // embeddings are padded to a round number of rows
    std::string model = where + " has a vocabulary of " + std::to_string(vocab_size) +
                        "; use the tokenizer that came with the model";
    if (size() > vocab_size) {
        throw Error(where_ + ": has ids up to " + std::to_string(size() - 1) + ", but " + model);
    }
    if (vocab_size - size() > std::max(padding, vocab_size / 8)) {
        throw Error(where_ + ": has ids only up to " + std::to_string(size() - 1) + ", but " +
                    model);
    }
}

}  // namespace saccade
