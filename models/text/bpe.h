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

// The merges of byte-pair encoding: pairs of neighbouring tokens that become one token. The pair of
// the lowest rank is merged first.
class Merges {
public:
    struct Merge {
        uint32_t rank = 0;
        uint32_t id = 0;  // of the merged token
    };

    // Adds a pair, ranked after all earlier ones. Returns the token that is missing from the
    // vocabulary, or nullopt if the pair and the merged token are all there.
    std::optional<std::string> add(const Vocabulary& vocabulary, std::string_view left,
                                   std::string_view right);

    const Merge* find(uint32_t left, uint32_t right) const;  // nullptr: no such merge
    // Merges neighbours until no merge applies.
    void apply(std::vector<uint32_t>& ids) const;

private:
    struct Hash {  // mixes both ids of the pair into all bits
        size_t operator()(uint64_t key) const {
            return static_cast<size_t>((key ^ key >> 31) * 0x9E3779B97F4A7C15 >> 16);
        }
    };
    std::unordered_map<uint64_t, Merge, Hash> merges_;
    uint32_t next_rank_ = 0;
};

struct BpeOptions {
    bool prefix_space = false;         // adds a space before a text that does not begin with one
    bool split_words = true;           // pre-tokenizes by GPT-2's pattern
    bool whole_words = false;          // a word that is a token needs no merges (ignore_merges)
    std::optional<uint32_t> unk = {};  // for bytes without a token; without it they are dropped
    bool fuse_unk = false;             // one unk for several unknown bytes in a row
    // CLIP's variant: the text is normalised to NFC and lower case, white space only separates
    // words, and a word's last token ends with a suffix, "</w>".
    bool clip = false;
    std::string suffix = {};
    bool single_digits = false;  // each digit is a word of its own
};

// GPT-2's byte-level byte-pair encoding (BPE): a word starts as one token per byte, and merges join
// them into longer tokens. The vocabulary writes each byte as a printable character, a space as
// "Ġ".
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
    std::vector<std::optional<uint32_t>> last_ids_;  // (256), for the last byte of a word
};

// GPT-2's pre-tokenizer: splits a text, which must be valid UTF-8, into words. Concatenated, they
// are the text again.
std::vector<std::string_view> split_gpt2_words(std::string_view text);
// CLIP's pre-tokenizer: runs of letters, single digits, runs of other characters. White space is
// dropped.
std::vector<std::string_view> split_clip_words(std::string_view text);

}  // namespace saccade
