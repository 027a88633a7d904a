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

// How BERT prepares text before it is cut into words.
struct BertNormalizer {
    bool clean_text = true;     // drop control characters, make all white space plain spaces
    bool space_chinese = true;  // every Chinese character is a word
    std::optional<bool> strip_accents = {};  // as `lowercase` when not said
    bool lowercase = true;

    std::string operator()(std::string_view text) const;  // which must be valid UTF-8
};

struct WordPieceOptions {
    BertNormalizer normalizer;
    std::string prefix = "##";    // of a token that continues a word
    uint32_t longest_word = 100;  // in characters; longer ones are unknown
    // Decoded text: no space before . , ! and ?, for each token alone, and then, with apostrophes,
    // for the text as a whole.
    bool clean_tokens = true;
    bool clean_text = true;
};

// WordPiece, BERT's: of each word the longest beginning that is a token, then the longest
// beginning of the rest that is one with the prefix, and so on; or else the word is unknown.
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
