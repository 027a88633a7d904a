#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "models/files/json.h"

namespace saccade {

// SentencePiece's precompiled_charsmap, which maps character sequences to replacements: a
// double-array trie in the format of darts-clone, and the replacements that its leaves point to.
class CharacterMap {
public:
    // Throws an Error if the bytes are not such a table.
    CharacterMap(std::string bytes, const std::string& where);

    // Replaces the longest match at each position; other characters stay.
    std::string apply(std::string_view text) const;

private:
    struct Match {
        size_t length = 0;
        std::string_view text;
    };
    Match longest_at(std::string_view text) const;

    std::vector<uint32_t> trie_;
    std::string texts_;  // zero-terminated, one after the other
};

// The normalisation steps that a text goes through before it is split into tokens.
class TextNormalizer {
public:
    // Parses tokenizer.json's "normalizer". Throws an Error for a step that is not supported.
    static TextNormalizer parse(const JsonFields& step);

    // SigLIP's text preparation: lower case, no punctuation, single spaces.
    void add_siglip();
    void add_lower_case();
    // Appends another normalizer's steps.
    void add(const TextNormalizer& other);

    std::string apply(std::string_view text) const;

private:
    using Step = std::function<std::string(std::string_view)>;

    void add(const JsonFields& step);
    void add_replace(const JsonFields& step);

    std::vector<Step> steps_;
};

}  // namespace saccade
