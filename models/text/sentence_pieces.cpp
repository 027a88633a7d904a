#include "models/text/sentence_pieces.h"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <utility>

#include "models/text/unicode.h"

namespace saccade {
namespace {

constexpr std::string_view written_space = "\u2581";

std::string token_for_byte(unsigned byte) {
    char text[8];
    std::snprintf(text, sizeof text, "<0x%02X>", byte);
    return text;
}

std::optional<char> byte_of_token(std::string_view token) {
    if (token.size() != 6 || !token.starts_with("<0x") || token.back() != '>') return std::nullopt;
    for (unsigned byte = 0; byte < 256; ++byte)
        if (token == token_for_byte(byte)) return static_cast<char>(byte);
    return std::nullopt;
}

}  // namespace

SentencePieces::SentencePieces(TokenizerParts parts, SentencePieceOptions options)
    : VocabularyTokenizer(std::move(parts)), options_(std::move(options)) {
    for (unsigned byte = 0; byte < 256; ++byte)
        byte_ids_.push_back(vocabulary().find(token_for_byte(byte)));
}

std::string SentencePieces::normalize(std::string_view text) const {
    return options_.normalizer.apply(text);
}

void SentencePieces::encode_plain(std::string_view text, std::vector<uint32_t>& ids) const {
    using Prepend = SentencePieceOptions::Prepend;
    std::string written;
    for (char c : text) {
        if (c == ' ')
            written += written_space;
        else
            written += c;
    }
    const bool prepend =
        options_.prepend == Prepend::always || (options_.prepend == Prepend::first && ids.empty());
    if (prepend && !written.starts_with(written_space)) written.insert(0, written_space);
    if (!options_.split_words) return encode_word(written, ids);
    for (size_t at = 0; at < written.size();) {
        const size_t end = std::min(written.find(written_space, at + 1), written.size());
        encode_word(std::string_view(written).substr(at, end - at), ids);
        at = end;
    }
}

void SentencePieces::encode_unknown(std::string_view character, bool after_unknown,
                                    std::vector<uint32_t>& ids) const {
    auto id_of = [&](char byte) { return byte_ids_[static_cast<unsigned char>(byte)]; };
    if (options_.byte_fallback &&
        std::ranges::all_of(character, [&](char byte) { return id_of(byte).has_value(); })) {
        for (char byte : character) ids.push_back(*id_of(byte));
    } else if (options_.unk && !(after_unknown && options_.fuse_unk)) {
        ids.push_back(*options_.unk);
    }
}

std::string SentencePieces::join(std::span<const std::string_view> tokens) const {
    // A character's bytes may be spread over several tokens.
    std::string bytes;
    for (std::string_view token : tokens) bytes += piece_of(token).bytes;
    if (options_.prepend != SentencePieceOptions::Prepend::never && bytes.starts_with(' '))
        bytes.erase(0, 1);
    return valid_utf8(bytes);
}

VocabularyTokenizer::Piece SentencePieces::piece_of(std::string_view token) const {
    if (const std::optional<char> byte = byte_of_token(token)) return {std::string(1, *byte), true};
    std::string bytes;
    for (size_t at = 0; at < token.size();) {
        const size_t end = std::min(token.find(written_space, at), token.size());
        bytes += token.substr(at, end - at);
        if (end < token.size()) bytes += ' ';
        at = end + written_space.size();
    }
    const bool continues = !bytes.empty() && bytes.front() != ' ';
    return {std::move(bytes), continues};
}

Unigram::Unigram(TokenizerParts parts, SentencePieceOptions options, std::vector<double> scores)
    : SentencePieces(std::move(parts), std::move(options)), scores_(std::move(scores)) {
    // Lower than any token's score, so that a character with a token is never unknown.
    constexpr double penalty = 10;
    unknown_score_ = std::ranges::min(scores_) - penalty;
}

void Unigram::encode_word(std::string_view word, std::vector<uint32_t>& ids) const {
    // Viterbi: the best segmentation that ends at each position, by its last token.
    struct Way {
        double score = -std::numeric_limits<double>::infinity();
        size_t begin = 0;
        std::optional<uint32_t> id;  // nullopt: a character without a token
    };
    std::vector<Way> ways(word.size() + 1);
    ways[0].score = 0;
    for (size_t at = 0; at < word.size();) {
        size_t next = at;
        next_character(word, next);
        bool has_token = false;
        const size_t most = std::min(word.size() - at, vocabulary().longest());
        for (size_t length = 1; length <= most; ++length) {
            const auto id = vocabulary().find(word.substr(at, length));
            if (!id) continue;
            has_token = has_token || at + length == next;
            const double score = ways[at].score + scores_[*id];
            if (score > ways[at + length].score) ways[at + length] = {score, at, id};
        }
        if (!has_token && ways[at].score + unknown_score_ > ways[next].score)
            ways[next] = {ways[at].score + unknown_score_, at, std::nullopt};
        at = next;
    }
    std::vector<size_t> ends;
    for (size_t end = word.size(); end > 0; end = ways[end].begin) ends.push_back(end);
    std::ranges::reverse(ends);
    bool after_unknown = false;
    for (const size_t end : ends) {
        const Way& way = ways[end];
        if (way.id)
            ids.push_back(*way.id);
        else
            encode_unknown(word.substr(way.begin, end - way.begin), after_unknown, ids);
        after_unknown = !way.id;
    }
}

SentenceBpe::SentenceBpe(TokenizerParts parts, SentencePieceOptions options, Merges merges)
    : SentencePieces(std::move(parts), std::move(options)), merges_(std::move(merges)) {}

void SentenceBpe::encode_word(std::string_view word, std::vector<uint32_t>& ids) const {
    std::vector<uint32_t> chain;
    bool after_unknown = false;
    for (size_t at = 0; at < word.size();) {
        const size_t begin = at;
        next_character(word, at);
        const std::string_view character = word.substr(begin, at - begin);
        const auto id = vocabulary().find(character);
        if (id)
            chain.push_back(*id);
        else
            encode_unknown(character, after_unknown, chain);
        after_unknown = !id;
    }
    merges_.apply(chain);
    ids.insert(ids.end(), chain.begin(), chain.end());
}

}  // namespace saccade
