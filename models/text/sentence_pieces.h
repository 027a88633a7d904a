#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/text/bpe.h"
#include "models/text/normalizer.h"
#include "models/text/vocabulary_tokenizer.h"

namespace saccade {

struct SentencePieceOptions {
    // Whether a space is put before a text (Metaspace's prepend_scheme).
    enum class Prepend { never, first, always };

    TextNormalizer normalizer = {};
    Prepend prepend = Prepend::never;
    bool split_words = false;    // words are encoded one by one
    bool byte_fallback = false;  // a character without a token becomes its bytes: <0xC3><0xA9>
    std::optional<uint32_t> unk = {};
    bool fuse_unk = true;  // one unk for several unknown characters in a row
};

// SentencePiece tokenizers: the text is one sequence of characters, including spaces, which tokens
// write as "▁". Unigram and SentenceBpe turn the sequence into tokens.
class SentencePieces : public VocabularyTokenizer {
protected:
    SentencePieces(TokenizerParts parts, SentencePieceOptions options);

    const SentencePieceOptions& options() const { return options_; }
    // Encodes a character that has no token: as its bytes (byte fallback) or as unk.
    void encode_unknown(std::string_view character, bool after_unknown,
                        std::vector<uint32_t>& ids) const;

private:
    std::string normalize(std::string_view text) const override;
    void encode_plain(std::string_view text, std::vector<uint32_t>& ids) const override;
    std::string join(std::span<const std::string_view> tokens) const override;
    Piece piece_of(std::string_view token) const override;

    virtual void encode_word(std::string_view word, std::vector<uint32_t>& ids) const = 0;

    SentencePieceOptions options_;
    std::vector<std::optional<uint32_t>> byte_ids_;  // (256)
};

// The Unigram model: every token has a score (a log probability), and the segmentation with the
// highest sum wins. It is found by the Viterbi algorithm.
class Unigram final : public SentencePieces {
public:
    Unigram(TokenizerParts parts, SentencePieceOptions options, std::vector<double> scores);

private:
    void encode_word(std::string_view word, std::vector<uint32_t>& ids) const override;

    std::vector<double> scores_;  // by id
    double unknown_score_ = 0;
};

// Byte-pair encoding whose merges start from characters, as in Gemma's tokenizers.
class SentenceBpe final : public SentencePieces {
public:
    SentenceBpe(TokenizerParts parts, SentencePieceOptions options, Merges merges);

private:
    void encode_word(std::string_view word, std::vector<uint32_t>& ids) const override;

    Merges merges_;
};

}  // namespace saccade
