#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "models/text/tokenizer.h"

namespace saccade {

// Allows looking up a string_view in a map of strings without a copy.
struct TextHash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};
template <typename Value>
using TextMap = std::unordered_map<std::string, Value, TextHash, std::equal_to<>>;

// A token for an error message: quoted, and truncated if it is long.
std::string token_in_quotes(std::string_view token);

// Maps tokens to ids and back. Ids may have gaps.
class Vocabulary {
public:
    Vocabulary() = default;
    Vocabulary(Vocabulary&&) = default;
    Vocabulary& operator=(Vocabulary&&) = default;

    // Throws an Error for an empty token and for a token or id that exists already; `where` starts
    // the message.
    void add(const std::string& token, uint32_t id, const std::string& where);
    // The same for an added token, which is searched for in the text and is no part of the model's
    // own vocabulary.
    void add_added_token(const std::string& token, uint32_t id, const std::string& where);

    std::optional<uint32_t> find(std::string_view token) const;      // without added tokens
    std::optional<uint32_t> find_any(std::string_view token) const;  // with added tokens
    const std::string* token(uint32_t id) const;  // nullptr if the id has no token

    uint32_t size() const { return size_; }      // one more than the highest id
    size_t longest() const { return longest_; }  // bytes of the longest token

private:
    void add_to(TextMap<uint32_t>& ids, const std::string& token, uint32_t id,
                const std::string& where);

    TextMap<uint32_t> ids_, added_;
    std::unordered_map<uint32_t, const std::string*> tokens_;  // keys of the two maps above
    uint32_t size_ = 0;
    size_t longest_ = 0;
};

// A token that is searched for in the text before the text is split into words.
struct AddedToken {
    std::string text = {};
    uint32_t id = 0;
    bool special = false;      // not part of decoded text
    bool normalized = false;   // searched for in the normalised text
    bool strip_left = false;   // includes the white space before it (lstrip)
    bool strip_right = false;  // includes the white space after it (rstrip)
    bool whole_word = false;   // does not match inside a word (single_word)
};

// Finds added tokens in a text: leftmost, longest match.
class AddedTokens {
public:
    void add(const AddedToken& token);

    struct Part {
        std::string_view text;
        std::optional<uint32_t> id;  // of the added token; nullopt: ordinary text
    };
    std::vector<Part> split(std::string_view text) const;  // no part is empty

private:
    const AddedToken* longest_at(std::string_view text) const;

    TextMap<AddedToken> tokens_;
    std::set<size_t, std::greater<>> lengths_;  // of all tokens
    std::set<char> first_bytes_;                // of all tokens
};

// The parts that all tokenizers have.
struct TokenizerParts {
    std::string where;  // the vocabulary's file, for errors
    Vocabulary vocabulary = {};
    std::vector<AddedToken> added = {};  // includes the special tokens
    SpecialIds special = {};
    bool enclose = false;  // encode adds [CLS] before and [SEP] after
};

// The base of all tokenizers: a vocabulary, and added tokens that are found before the text is
// split into words.
class VocabularyTokenizer : public Tokenizer {
public:
    std::string piece(uint32_t id) const override;
    std::vector<Word> words(std::span<const uint32_t> ids) const override;
    uint32_t size() const override { return vocabulary_.size(); }
    const SpecialIds& special() const override { return special_; }
    bool is_special(uint32_t id) const override { return special_set_.contains(id); }
    void check_against(uint32_t vocab_size, const std::string& where) const override;

protected:
    explicit VocabularyTokenizer(TokenizerParts parts);

    const Vocabulary& vocabulary() const { return vocabulary_; }

    // The text of a token, and whether it continues the word before it.
    struct Piece {
        std::string bytes;
        bool continues = false;
    };

private:
    std::vector<uint32_t> ids_of(std::string_view text, bool add_special) const override;
    std::string text_of(std::span<const uint32_t> ids, bool skip_special) const override;

    virtual std::string normalize(std::string_view text) const { return std::string(text); }
    virtual void encode_plain(std::string_view text, std::vector<uint32_t>& ids) const = 0;
    virtual std::string join(std::span<const std::string_view> tokens) const = 0;
    virtual Piece piece_of(std::string_view token) const = 0;

    std::string where_;
    Vocabulary vocabulary_;
    SpecialIds special_;
    std::set<uint32_t> special_set_;
    bool enclose_;
    AddedTokens in_text_, in_normalized_;
    // Added tokens that are searched for in the normalised text are decoded in their normalised
    // form.
    std::unordered_map<uint32_t, std::string> normalized_;

    const std::string* token_text(uint32_t id) const;
};

}  // namespace saccade
