#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "models/files/json.h"

namespace saccade {

// SentencePiece's table of what characters become, which a tokenizer's file brings along: a trie in
// two arrays (as the library darts-clone writes it) and the texts that its leaves stand for.
class CharacterMap {
public:
    // Refuses bytes that are no such table.
    CharacterMap(std::string bytes, const std::string& where);

    // Of the longest beginnings that the table knows, one after the other; all else stays.
    std::string apply(std::string_view text) const;

private:
    struct Match {
        size_t length = 0;
        std::string_view text;
    };
    Match longest_at(std::string_view text) const;

    std::vector<uint32_t> trie_;
    std::string texts_;  // each ends with a zero
};

// What happens to a text before it is cut into tokens, step by step.
class TextNormalizer {
public:
    // tokenizer.json's "normalizer". Refuses steps that are not known here.
    static TextNormalizer parse(const JsonFields& step);

    // What SigLIP was trained on: in lower case, without punctuation, white space as single spaces.
    void add_siglip();
    void add_lower_case();
    // Another one's steps after these.
    void add(const TextNormalizer& other);

    std::string apply(std::string_view text) const;

private:
    using Step = std::function<std::string(std::string_view)>;

    void add(const JsonFields& step);
    void add_replace(const JsonFields& step);

    std::vector<Step> steps_;
};

}  // namespace saccade
