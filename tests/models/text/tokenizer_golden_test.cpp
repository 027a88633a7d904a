#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "models/files/json.h"
#include "models/text/tokenizer.h"
#include "tests/models/files/temp_folder.h"

namespace saccade {
namespace {

using Ids = std::vector<uint32_t>;

// Awkward texts and random ids against transformers' tokenizers, from
// golden/tokenizers/make_golden.py.
class TokenizerGolden : public ::testing::TestWithParam<const char*> {
protected:
    TokenizerGolden()
        : golden(read_json(golden_folder() / "tokenizers" / "golden.json")["folders"][GetParam()]),
          tokenizer(Tokenizer::open(golden_folder() / "tokenizers" / GetParam())) {}

    // WordPiece is cleaned up, as in BLIP's captions, unless its files turn that off (the cased
    // one's do); byte-level BPE never is.
    std::string expected_text(const Json& entry) const {
        const std::string name = GetParam();
        return entry[name == "wordpiece-uncased" || name == "wordpiece-json" ? "clean" : "text"];
    }

    Json golden;
    std::unique_ptr<Tokenizer> tokenizer;
};

TEST_P(TokenizerGolden, encodes_as_transformers_does) {
    for (const Json& entry : golden["texts"]) {
        const std::string text = entry["from"];
        EXPECT_EQ(tokenizer->encode(text, false), entry["plain"].get<Ids>()) << in_quotes(text);
        EXPECT_EQ(tokenizer->encode(text, true), entry["ids"].get<Ids>()) << in_quotes(text);
    }
}

TEST_P(TokenizerGolden, decodes_as_transformers_does) {
    for (const char* list : {"texts", "sequences"})
        for (const Json& entry : golden[list])
            EXPECT_EQ(tokenizer->decode(entry["ids"].get<Ids>()), expected_text(entry))
                << entry["ids"];
}

TEST_P(TokenizerGolden, has_as_many_tokens_and_the_same_special_ones) {
    EXPECT_EQ(tokenizer->size(), golden["size"].get<uint32_t>());
    for (uint32_t id : golden["special_ids"].get<Ids>())
        EXPECT_TRUE(tokenizer->is_special(id)) << id;
}

INSTANTIATE_TEST_SUITE_P(All, TokenizerGolden,
                         ::testing::Values("gpt2-emoji-files", "gpt2-emoji-json", "gpt2-nano",
                                           "wordpiece-cased", "wordpiece-json",
                                           "wordpiece-uncased"));

}  // namespace
}  // namespace saccade
