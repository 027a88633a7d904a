#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/files/json.h"
#include "models/text/vocabulary_tokenizer.h"

// The parts of a tokenizer's files that do not depend on its model (BPE, WordPiece, Unigram).
namespace saccade {

constexpr uint32_t max_token_ids = 1u << 24;

// {"token": id, ...}
Vocabulary vocabulary_from(const Json& object, const std::string& where);

// A token is stored as its text, or as an object with its text and how it is searched for.
AddedToken added_token_from(const Json& value, const std::string& where);

// tokenizer_config.json, special_tokens_map.json and added_tokens.json.
struct TokenizerSettings {
    std::map<std::string, std::string, std::less<>> roles;  // "bos_token" -> its text
    std::vector<std::string> extra_special;
    std::vector<AddedToken> added;
    std::optional<bool> prefix_space, lowercase, strip_accents, space_chinese, clean_up, add_end;
    // These two tokenizers normalise more than their tokenizer.json says.
    bool siglip = false, siglip2 = false;

    void read_roles(const JsonFields& fields);
};
TokenizerSettings read_tokenizer_settings(const std::filesystem::path& folder);

struct TokenRole {
    std::string_view name;   // "bos_token"
    std::string_view token;  // "<|endoftext|>"
};

// Adds the added tokens and the special ones to the parts. `defaults` are the special tokens where
// no file names any.
void add_special_tokens(TokenizerParts& parts, std::vector<AddedToken> added,
                        TokenizerSettings settings, std::span<const TokenRole> defaults);

}  // namespace saccade
