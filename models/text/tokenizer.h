#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace saccade {

// The ids of the tokens that have a role, where the files name one.
struct SpecialIds {
    std::optional<uint32_t> bos, eos, unk, sep, pad, cls, mask;
};

// A word of a caption: tokens [first, first + count) of those given.
struct Word {
    std::string text = {};
    size_t first = 0;
    size_t count = 0;
};

// Text to token ids and back, as transformers' tokenizers of GPT-2, BERT, CLIP, SigLIP and Gemma do
// it. What a captioner sees of a tokenizer is this interface alone: a program that works on ids, as
// saccade-lab does, is not linked with the tokenizers and the Unicode library that they need.
class Tokenizer {
public:
    // From a Hugging Face model folder: tokenizer.json, else vocab.json with merges.txt, else
    // vocab.txt, with what tokenizer_config.json, special_tokens_map.json and added_tokens.json
    // add. nullptr when the folder has none of these.
    static std::unique_ptr<Tokenizer> open(const std::filesystem::path& folder);

    Tokenizer() = default;
    virtual ~Tokenizer() = default;
    Tokenizer(const Tokenizer&) = delete;
    Tokenizer& operator=(const Tokenizer&) = delete;

    // Any text; bytes that are not UTF-8 count as U+FFFD. Special tokens written out in it become
    // their ids. `add_special` puts [CLS] before and [SEP] after, if the tokenizer has them.
    std::vector<uint32_t> encode(std::string_view text, bool add_special = true) const {
        return ids_of(text, add_special);
    }

    // Valid UTF-8, whatever the ids. One that stands for nothing (a model may have more rows than
    // its tokenizer has tokens) adds nothing.
    std::string decode(std::span<const uint32_t> ids, bool skip_special = true) const {
        return text_of(ids, skip_special);
    }

    // What one id adds to the text, without the file's marks: " cat" for "Ġcat", "ing" for "##ing".
    virtual std::string piece(uint32_t id) const = 0;

    // The words of decoded text, with the tokens that make each. Special tokens and white space
    // belong to no word; punctuation belongs to the word that it follows.
    virtual std::vector<Word> words(std::span<const uint32_t> ids) const = 0;

    virtual uint32_t size() const = 0;  // one more than the highest id
    virtual const SpecialIds& special() const = 0;
    virtual bool is_special(uint32_t id) const = 0;

    // Refuses a tokenizer that cannot be this model's: it has ids past the model's vocabulary, or
    // leaves much of that without a token. `where` says whose vocabulary size it is.
    virtual void check_against(uint32_t vocab_size, const std::string& where) const = 0;

private:
    virtual std::vector<uint32_t> ids_of(std::string_view text, bool add_special) const = 0;
    virtual std::string text_of(std::span<const uint32_t> ids, bool skip_special) const = 0;
};

// How a model's tokenizer is opened: Tokenizer::open, or no_tokenizer if ids are enough.
using OpenTokenizer = std::unique_ptr<Tokenizer> (*)(const std::filesystem::path& folder);

inline std::unique_ptr<Tokenizer> no_tokenizer(const std::filesystem::path&) { return nullptr; }

}  // namespace saccade
