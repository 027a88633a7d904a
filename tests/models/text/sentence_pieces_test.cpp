#include "models/text/sentence_pieces.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/models/files/temp_folder.h"

namespace saccade {
namespace {

using Ids = std::vector<uint32_t>;

class SentencePiecesTest : public ::testing::Test {
protected:
    static Json file_of(const std::string& name) {
        return read_json(golden_folder() / "tokenizers" / name / "tokenizer.json");
    }
    std::unique_ptr<Tokenizer> open(const Json& file, const Json& config = Json::object(),
                                    const Json& model = Json::object()) {
        write("tokenizer.json", file);
        write("tokenizer_config.json", config);
        write("config.json", model);
        return Tokenizer::open(temp.path());
    }
    void write(const char* name, const Json& json) { std::ofstream(temp / name) << json; }

    TempFolder temp;
    const Json roles{{"unk_token", "<unk>"}, {"bos_token", "<s>"}, {"eos_token", "</s>"}};
};

// sentencepiece.json: the output of SentencePiece's spm_encode.
TEST_F(SentencePiecesTest, encode_odd_texts_as_the_library_does) {
    const Json golden = read_json(golden_folder() / "tokenizers" / "sentencepiece.json");
    for (const char* name : {"unigram", "sentence-bpe"}) {
        const auto tokenizer = Tokenizer::open(golden_folder() / "tokenizers" / name);
        ASSERT_GT(golden[name].size(), 80u);
        for (const Json& entry : golden[name])
            EXPECT_EQ(tokenizer->encode(entry["text"].get<std::string>()), entry["ids"].get<Ids>())
                << name << ": " << entry["text"];
    }
}

TEST_F(SentencePiecesTest, text_comes_back_with_single_spaces) {
    const auto bytes = Tokenizer::open(golden_folder() / "tokenizers" / "sentence-bpe");
    for (const char* text : {"a photo of a cat", "日本語 😀 café", "x"})
        EXPECT_EQ(bytes->decode(bytes->encode(text)), text);
    EXPECT_EQ(bytes->decode(bytes->encode("  two   spaces ")), "two spaces");
    const auto words = bytes->words(bytes->encode("a photo, of me"));
    ASSERT_EQ(words.size(), 4u);
    EXPECT_EQ(words[1].text, "photo,");
}

TEST_F(SentencePiecesTest, siglip_reads_lower_case_without_punctuation_and_ends_with_its_end) {
    const Json file = file_of("unigram");
    Json config = roles;
    const Ids plain = open(file, config)->encode("a photo of a cat");
    config["tokenizer_class"] = "SiglipTokenizer";
    const auto tokenizer = open(file, config);
    Ids ended = plain;
    ended.push_back(2);
    EXPECT_EQ(tokenizer->encode("A Photo, of\n a CAT!"), ended);
    EXPECT_EQ(tokenizer->encode("A Photo, of a CAT!", false), plain);
    EXPECT_EQ(tokenizer->encode("..."), Ids{2});
}

TEST_F(SentencePiecesTest, siglip_2_is_gemmas_in_lower_case) {
    Json file = file_of("sentence-bpe");
    // Gemma's variant: the normalizer replaces spaces, and none is prepended.
    file["normalizer"] = {{"type", "Replace"}, {"pattern", {{"String", " "}}}, {"content", "▁"}};
    file["pre_tokenizer"] = {{"type", "Split"},
                             {"pattern", {{"String", " "}}},
                             {"behavior", "MergedWithPrevious"},
                             {"invert", false}};
    Json config = roles;
    config["tokenizer_class"] = "GemmaTokenizer";
    const auto gemma = open(file, config);
    const Ids lower = gemma->encode("two cats");
    EXPECT_NE(gemma->encode("Two CATS"), lower);
    EXPECT_EQ(gemma->decode(gemma->encode("Two CATS")), "Two CATS");
    EXPECT_EQ(gemma->decode(gemma->encode("two cats")), "two cats");
    config["add_eos_token"] = true;
    Ids ended = lower;
    ended.push_back(2);
    EXPECT_EQ(open(file, config, {{"model_type", "siglip2"}})->encode("Two CATS"), ended);
}

TEST_F(SentencePiecesTest, a_character_that_only_begins_a_token_may_be_unknown_alone) {
    Json file = file_of("unigram");
    file["model"]["vocab"] = Json::parse(
        R"([["<unk>", 0], ["<s>", 0], ["</s>", 0], ["▁", -2], ["ab", -4], ["bc", -3]])");
    EXPECT_EQ(open(file, roles)->encode("abc", false), (Ids{3, 0, 5})) << "better than ab and c";
}

TEST_F(SentencePiecesTest, the_template_says_what_stands_around_a_text) {
    Json file = file_of("unigram");
    const Ids plain = open(file, roles)->encode("cat");
    auto special = [](const char* id) {
        return Json{{"SpecialToken", {{"id", id}, {"type_id", 0}}}};
    };
    const Json text{{"Sequence", {{"id", "A"}, {"type_id", 0}}}};
    file["post_processor"] = {{"type", "TemplateProcessing"},
                              {"single", Json::array({special("<s>"), text, special("</s>")})}};
    Ids both = plain;
    both.insert(both.begin(), 1);
    both.push_back(2);
    EXPECT_EQ(open(file, roles)->encode("cat"), both);
    EXPECT_EQ(open(file, roles)->encode("cat", false), plain);
    file["post_processor"]["single"][0] = special("<none>");
    expect_says(error_of([&] { open(file, roles); }), "is not in the vocabulary");
}

TEST_F(SentencePiecesTest, files_that_are_damaged_or_say_more_than_is_known_are_refused) {
    const Json whole = file_of("unigram");
    auto refused = [&](const char* pointer, const Json& value) {
        Json file = whole;
        file[Json::json_pointer(pointer)] = value;
        return error_of([&] { open(file, roles); });
    };
    const char* const map = "/normalizer/normalizers/0/precompiled_charsmap";
    expect_says(refused(map, "@@"), "is not base64");
    expect_says(refused(map, "AAAA"), "is damaged");
    expect_says(refused(map, "////fwAA"), "is damaged");
    expect_says(refused("/normalizer/normalizers/1", {{"type", "Shout"}}), "'Shout'");
    expect_says(refused("/normalizer/normalizers/2/pattern", {{"Regex", "(a|b)+"}}), "'(a|b)+'");
    expect_says(refused("/pre_tokenizer", {{"type", "Digits"}}), "'Digits'");
    expect_says(refused("/model/vocab/7", "cat"), "is not a token and its score");
    expect_says(refused("/model/unk_id", 400), "unk_id");
    expect_says(refused("/model/type", "WordLevel"), "BPE, Unigram and WordPiece are supported");
}

TEST_F(SentencePiecesTest, a_table_of_characters_whose_links_lead_nowhere_changes_nothing) {
    // A trie of one unit that points far beyond itself.
    const CharacterMap map(std::string("\4\0\0\0\xff\xff\xff\x7f", 8), "file");
    EXPECT_EQ(map.apply("a\u00e9"), "a\u00e9");
}

TEST(TextNormalizer, takes_lists_of_characters_and_runs_of_spaces) {
    auto replace = [](const char* regex, const char* by, const char* text) {
        const Json step{{"type", "Replace"}, {"pattern", {{"Regex", regex}}}, {"content", by}};
        return TextNormalizer::parse(JsonFields(step, "file")).apply(text);
    };
    EXPECT_EQ(replace("[!\\-\\]\\[é]", "", "a-b[c]! é"), "abc ");
    EXPECT_EQ(replace("\\s+", " ", " a \t\u00a0b  "), " a b ");
    EXPECT_EQ(replace(" {2,}", "_", "a b  c   d"), "a b_c_d");
    EXPECT_EQ(replace("[-a-]", "_", "-abc-"), "__bc_");
    for (const char* regex : {"[a-z]", "[^a]", "[[:space:]]", "[\\w]", "[a"})
        expect_says(error_of([&] { replace(regex, "", "b"); }), "which is not supported");
    const Json strip{{"type", "Strip"}, {"strip_left", false}, {"strip_right", true}};
    EXPECT_EQ(TextNormalizer::parse(JsonFields(strip, "file")).apply(" a b \n"), " a b");
    EXPECT_EQ(TextNormalizer::parse(JsonFields(strip, "file")).apply(" \n"), "");
    const Json nfkc{{"type", "NFKC"}};
    EXPECT_EQ(TextNormalizer::parse(JsonFields(nfkc, "file")).apply("ﬁ e\u0301"), "fi é");
}

}  // namespace
}  // namespace saccade
