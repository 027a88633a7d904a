#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "models/text/vocabulary_tokenizer.h"

namespace saccade {

// Which two neighbouring tokens become one, and which pair goes first: that of the lowest rank.
class Merges {
public:
    struct Merge {
        uint32_t rank = 0;
        uint32_t id = 0;  // of what the pair becomes
    };

    // Each pair ranks after the last one added. Gives the token that the vocabulary lacks, nothing
    // when it has all three.
    std::optional<std::string> add(const Vocabulary& vocabulary, std::string_view left,
                                   std::string_view right);

    const Merge* find(uint32_t left, uint32_t right) const;  // nullptr: these two stay apart
    // Merges neighbours until no two are left that become one.
    void apply(std::vector<uint32_t>& ids) const;

private:
    struct Hash {  // both halves of the key in all of the hash
        size_t operator()(uint64_t key) const {
            return static_cast<size_t>((key ^ key >> 31) * 0x9E3779B97F4A7C15 >> 16);
        }
    };
    std::unordered_map<uint64_t, Merge, Hash> merges_;
    uint32_t next_rank_ = 0;
};

struct BpeOptions {
    bool prefix_space = false;         // put a space before a text that does not begin with one
    bool split_words = true;           // cut the text by GPT-2's pattern first
    bool whole_words = false;          // a word that is a token as it stands needs no merges
    std::optional<uint32_t> unk = {};  // for bytes without a token, which else are dropped
    bool fuse_unk = false;             // one such for several bytes in a row
    // CLIP's form: the text is composed (NFC) and in lower case, white space only separates words, and
    // a word's last token ends in a suffix, "</w>".
    bool clip = false;
    std::string suffix = {};
    bool single_digits = false;  // every digit is cut off from its neighbours first
};

// Byte-level byte-pair encoding, GPT-2's: each byte of a word is a token (written in the
// vocabulary as a printable character: a space as "Ġ"), and merges make longer ones of them.
class ByteLevelBpe final : public VocabularyTokenizer {
public:
    ByteLevelBpe(TokenizerParts parts, Merges merges, const BpeOptions& options);

private:
    void encode_plain(std::string_view text, std::vector<uint32_t>& ids) const override;
    void encode_word(std::string_view word, std::vector<uint32_t>& ids) const;
    std::string normalize(std::string_view text) const override;
    std::string join(std::span<const std::string_view> tokens) const override;
    Piece piece_of(std::string_view token) const override;

    Merges merges_;
    BpeOptions options_;
    std::vector<std::optional<uint32_t>> byte_ids_;  // (256)
    std::vector<std::optional<uint32_t>> last_ids_;  // (256): of a byte that ends a word
};

// Cuts a text into the words that GPT-2 looks at one by one. Together they are the text, which
// must be valid UTF-8.
std::vector<std::string_view> split_gpt2_words(std::string_view text);
// The same as CLIP does it: runs of letters, single digits, runs of other signs. White space is no word.
std::vector<std::string_view> split_clip_words(std::string_view text);

}  // namespace saccade
