#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/text/vocabulary_tokenizer.h"

namespace saccade {

// BERT's normalization, before the text is split into words.
struct BertNormalizer {
    bool clean_text = true;     // drops control characters, turns all white space into spaces
    bool space_chinese = true;  // every Chinese character is a word (handle_chinese_chars)
    std::optional<bool> strip_accents = {};  // the same as `lowercase` if not set
    bool lowercase = true;

    std::string operator()(std::string_view text) const;  // of valid UTF-8
};

struct WordPieceOptions {
    BertNormalizer normalizer;
    std::string prefix = "##";    // of a token that continues a word
    uint32_t longest_word = 100;  // in characters; longer ones are unknown
    // clean_up_tokenization_spaces: decoded text has no space before . , ! ? and contractions.
    // clean_tokens applies it to each token, clean_text to the whole text.
    bool clean_tokens = true;
    bool clean_text = true;
};

// BERT's WordPiece, greedy longest match: the longest prefix of a word that is a token, then the
// longest prefix of the rest that is a token after "##", and so on. If nothing matches, the whole
// word is unknown.
class WordPiece final : public VocabularyTokenizer {
public:
    // The parts must name the unknown token.
    WordPiece(TokenizerParts parts, const WordPieceOptions& options);

private:
    std::string normalize(std::string_view text) const override;
    void encode_plain(std::string_view text, std::vector<uint32_t>& ids) const override;
    void encode_word(std::string_view word, std::vector<uint32_t>& ids) const;
    std::string join(std::span<const std::string_view> tokens) const override;
    Piece piece_of(std::string_view token) const override;

    WordPieceOptions options_;
};

}  // namespace saccade
