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

// Lets maps of strings be searched without making a string.
struct TextHash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};
template <typename Value>
using TextMap = std::unordered_map<std::string, Value, TextHash, std::equal_to<>>;

// A token made fit for an error's text: quoted, and cut when it is long.
std::string token_in_quotes(std::string_view token);

// Tokens and their numbers, both ways. Ids may have gaps.
class Vocabulary {
public:
    Vocabulary() = default;
    Vocabulary(Vocabulary&&) = default;
    Vocabulary& operator=(Vocabulary&&) = default;

    // Refuses a token or an id that is there already, and an empty token. `where` opens the
    // error's text.
    void add(const std::string& token, uint32_t id, const std::string& where);
    // The same for a token that is looked for in the text itself, and never in its words.
    void add_apart(const std::string& token, uint32_t id, const std::string& where);

    std::optional<uint32_t> find(std::string_view token) const;      // not those that are apart
    std::optional<uint32_t> find_any(std::string_view token) const;  // those too
    const std::string* token(uint32_t id) const;  // nullptr when the id stands for nothing

    uint32_t size() const { return size_; }      // one more than the highest id
    size_t longest() const { return longest_; }  // bytes of the longest token

private:
    void add_to(TextMap<uint32_t>& ids, const std::string& token, uint32_t id,
                const std::string& where);

    TextMap<uint32_t> ids_, apart_;
    std::unordered_map<uint32_t, const std::string*> tokens_;  // into these, whose nodes stay put
    uint32_t size_ = 0;
    size_t longest_ = 0;
};

// A token that is looked for in the text itself, before the text is cut into words.
struct AddedToken {
    std::string text = {};
    uint32_t id = 0;
    bool special = false;      // left out of decoded text
    bool normalized = false;   // looked for in the normalised text
    bool strip_left = false;   // takes the white space before it along
    bool strip_right = false;  // and after it
    bool whole_word = false;   // not found inside a word
};

// Finds added tokens in a text: the first that begins, the longest of those that begin together.
class AddedTokens {
public:
    void add(const AddedToken& token);

    struct Part {
        std::string_view text;
        std::optional<uint32_t> id;  // of the added token; none: ordinary text
    };
    std::vector<Part> split(std::string_view text) const;  // no part is empty

private:
    const AddedToken* longest_at(std::string_view text) const;

    TextMap<AddedToken> tokens_;
    std::set<size_t, std::greater<>> lengths_;  // that occur
    std::set<char> first_bytes_;                // that occur
};

// What every tokenizer is made of.
struct TokenizerParts {
    std::string where;  // the file with the vocabulary: it opens the text of errors
    Vocabulary vocabulary = {};
    std::vector<AddedToken> added = {};  // `text` as it is looked for; special ones among them
    SpecialIds special = {};
    bool enclose = false;  // encode puts [CLS] before and [SEP] after
};

// What tokenizers of GPT-2 and BERT have in common: a vocabulary, and tokens that are found in the
// text before it is cut into words.
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

    // What a token adds to the text, and whether it continues the word before it.
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
    // Added tokens that are looked for in the normalised text are also written as they are there.
    std::unordered_map<uint32_t, std::string> normalized_;

    const std::string* token_text(uint32_t id) const;
};

}  // namespace saccade
