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

// The ids of the special tokens, as far as the files name them.
struct SpecialIds {
    std::optional<uint32_t> bos, eos, unk, sep, pad, cls, mask;
};

// A word of decoded text: it is made of tokens [first, first + count).
struct Word {
    std::string text = {};
    size_t first = 0;
    size_t count = 0;
};

// Encodes text as token ids and decodes ids, as transformers' tokenizers of GPT-2, BERT, CLIP,
// SigLIP and Gemma do. Models use this interface only, so that a program that works on ids, such as
// saccade-lab, links neither the tokenizers nor the Unicode library that they need.
class Tokenizer {
public:
    // From a Hugging Face model folder: tokenizer.json, else vocab.json with merges.txt, else
    // vocab.txt, together with tokenizer_config.json, special_tokens_map.json and
    // added_tokens.json. nullptr if the folder has no vocabulary.
    static std::unique_ptr<Tokenizer> open(const std::filesystem::path& folder);

    Tokenizer() = default;
    virtual ~Tokenizer() = default;
    Tokenizer(const Tokenizer&) = delete;
    Tokenizer& operator=(const Tokenizer&) = delete;

    // Takes any bytes; invalid UTF-8 counts as U+FFFD. Special tokens that are spelled out in the
    // text become their ids. `add_special` adds [CLS] before and [SEP] after, if the tokenizer has
    // them.
    std::vector<uint32_t> encode(std::string_view text, bool add_special = true) const {
        return ids_of(text, add_special);
    }

    // Always valid UTF-8. An id without a token adds nothing: a model's embedding may have more
    // rows than its tokenizer has tokens.
    std::string decode(std::span<const uint32_t> ids, bool skip_special = true) const {
        return text_of(ids, skip_special);
    }

    // The text of one token, without the vocabulary's marks: " cat" for "Ġcat", "ing" for "##ing".
    virtual std::string piece(uint32_t id) const = 0;

    // The words of the decoded text and the tokens of each. Special tokens and white space belong
    // to no word; punctuation belongs to the word before it.
    virtual std::vector<Word> words(std::span<const uint32_t> ids) const = 0;

    virtual uint32_t size() const = 0;  // one more than the highest id
    virtual const SpecialIds& special() const = 0;
    virtual bool is_special(uint32_t id) const = 0;

    // Throws an Error if the tokenizer cannot belong to the model: it has ids past the model's
    // vocabulary, or leaves much of the vocabulary without a token. `where` names the model in the
    // error.
    virtual void check_against(uint32_t vocab_size, const std::string& where) const = 0;

private:
    virtual std::vector<uint32_t> ids_of(std::string_view text, bool add_special) const = 0;
    virtual std::string text_of(std::span<const uint32_t> ids, bool skip_special) const = 0;
};

// Opens a model's tokenizer: Tokenizer::open, or no_tokenizer where token ids are enough.
using OpenTokenizer = std::unique_ptr<Tokenizer> (*)(const std::filesystem::path& folder);

inline std::unique_ptr<Tokenizer> no_tokenizer(const std::filesystem::path&) { return nullptr; }

}  // namespace saccade
