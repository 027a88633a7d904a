#include "models/text/tokenizer.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "models/files/json.h"
#include "tests/models/files/temp_folder.h"

namespace saccade {
namespace {

using Ids = std::vector<uint32_t>;

std::unique_ptr<Tokenizer> golden_tokenizer(std::string_view name) {
    return Tokenizer::open(golden_folder() / "tokenizers" / name);
}

// "word@first+count" for each.
std::vector<std::string> shown(const std::vector<Word>& words) {
    std::vector<std::string> result;
    for (const Word& word : words) {
        result.push_back(word.text + "@" + std::to_string(word.first) + "+" +
                         std::to_string(word.count));
    }
    return result;
}
using Shown = std::vector<std::string>;

// A valid tokenizer.json, which the tests damage.
Json good_bpe() {
    return Json::parse(R"({"version": "1.0", "added_tokens": [
            {"id": 4, "content": "<end>", "special": true, "normalized": false}],
        "normalizer": null, "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false},
        "decoder": {"type": "ByteLevel"},
        "model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2, "Ġ": 3}, "merges": ["a b"]}})");
}
Json good_wordpiece() {
    return Json::parse(R"({"model": {"type": "WordPiece", "vocab": {"[UNK]": 0, "a": 1}}})");
}

class TokenizerFolder : public ::testing::Test {
protected:
    std::unique_ptr<Tokenizer> open() { return Tokenizer::open(folder_.path()); }
    std::unique_ptr<Tokenizer> open(const Json& tokenizer_json) {
        folder_.write("tokenizer.json", tokenizer_json.dump());
        return open();
    }
    // Opening the folder must fail for this reason, with the file's name.
    void expect_refused(std::string_view file, std::string_view part) {
        std::string error = error_of([&] { open(); });
        expect_says(error, (folder_ / file).string() + ": ");
        expect_says(error, part);
    }
    void expect_json_refused(const Json& tokenizer_json, std::string_view part) {
        folder_.write("tokenizer.json", tokenizer_json.dump());
        expect_refused("tokenizer.json", part);
    }

    TempFolder folder_;
};

// ---- Finding and reading ----

TEST_F(TokenizerFolder, a_folder_without_a_tokenizer_has_none) {
    EXPECT_EQ(open(), nullptr);
    folder_.write("tokenizer_config.json", "not even JSON");
    EXPECT_EQ(open(), nullptr);
    expect_says(error_of([&] { Tokenizer::open(folder_ / "nowhere"); }), "is not a folder");
}

TEST_F(TokenizerFolder, tokenizer_json_comes_before_vocab_json_and_that_before_vocab_txt) {
    folder_.write("vocab.txt", "[UNK]\na\n");
    EXPECT_EQ(open()->size(), 2u);
    folder_.write("vocab.json", R"({"a": 0, "b": 1, "c": 2})");
    folder_.write("merges.txt", "#version: 0.2\n");
    EXPECT_EQ(open()->size(), 3u);
    EXPECT_EQ(open(good_bpe())->size(), 5u);
}

TEST_F(TokenizerFolder, merges_are_written_as_strings_or_as_pairs) {
    Json json = good_bpe();
    EXPECT_EQ(open(json)->encode("ab"), (Ids{2}));
    json["model"]["merges"] = Json::parse(R"([["a", "b"]])");
    EXPECT_EQ(open(json)->encode("ab"), (Ids{2}));
}

TEST_F(TokenizerFolder, files_from_before_model_type_are_told_apart) {
    Json json = good_bpe();
    json["model"].erase("type");
    EXPECT_EQ(open(json)->encode("ab"), (Ids{2}));
    json = good_wordpiece();
    json["model"].erase("type");
    EXPECT_EQ(open(json)->encode("a b"), (Ids{1, 0}));
}

TEST_F(TokenizerFolder, a_byte_without_a_token_becomes_the_unknown_token_where_there_is_one) {
    Json json = good_bpe();
    json["model"]["unk_token"] = "<end>";
    EXPECT_EQ(open(json)->encode("axyb"), (Ids{0, 4, 4, 1}));
    json["model"]["fuse_unk"] = true;
    EXPECT_EQ(open(json)->encode("axyb"), (Ids{0, 4, 1}));
    EXPECT_EQ(open(json)->encode("xax"), (Ids{4, 0, 4})) << "they are not side by side";
    json["model"]["unk_token"] = "nothing";
    expect_json_refused(json, "unk_token is not in the vocabulary");
}

TEST_F(TokenizerFolder, merges_can_be_ignored_for_words_that_are_tokens) {
    Json json = good_bpe();
    json["model"]["vocab"]["ba"] = 5;
    EXPECT_EQ(open(json)->encode("ba"), (Ids{1, 0}));
    json["model"]["ignore_merges"] = true;
    EXPECT_EQ(open(json)->encode("ba"), (Ids{5}));
    EXPECT_EQ(open(json)->encode("abb"), (Ids{2, 1}));
}

TEST_F(TokenizerFolder, roles_come_from_the_smaller_files) {
    Json json = good_bpe();
    json["model"]["vocab"]["<pad>"] = 5;
    folder_.write("tokenizer_config.json",
                  R"({"bos_token": "<end>", "eos_token": {"content": "<end>", "lstrip": false},
                      "pad_token": null, "unk_token": "absent", "cls_token": "a",
                      "clean_up_tokenization_spaces": true, "model_max_length": 1e30})");
    folder_.write("special_tokens_map.json",
                  R"({"pad_token": "<pad>", "additional_special_tokens": ["b", "absent"]})");
    auto tokenizer = open(json);
    EXPECT_EQ(tokenizer->special().bos, 4u);
    EXPECT_EQ(tokenizer->special().eos, 4u);
    EXPECT_EQ(tokenizer->special().pad, 5u);
    EXPECT_EQ(tokenizer->special().cls, 0u);
    EXPECT_EQ(tokenizer->special().unk, std::nullopt);
    EXPECT_EQ(tokenizer->special().sep, std::nullopt);
    EXPECT_EQ(tokenizer->decode(Ids{4, 0, 2, 1, 5}), "ab");
}

TEST_F(TokenizerFolder, added_tokens_come_from_any_of_three_files) {
    folder_.write("vocab.json", R"({"a": 0, "Ġ": 1})");
    folder_.write("merges.txt", "");
    folder_.write("added_tokens.json", R"({"<new>": 2})");
    EXPECT_EQ(open()->encode("a<new>a"), (Ids{0, 2, 0}));
    EXPECT_FALSE(open()->is_special(2));
    folder_.write("tokenizer_config.json",
                  R"({"added_tokens_decoder": {"7": {"content": "<x>", "special": true}}})");
    EXPECT_EQ(open()->encode("a<x>"), (Ids{0, 7}));
    EXPECT_TRUE(open()->is_special(7));
    EXPECT_EQ(open()->size(), 8u);
    EXPECT_EQ(open()->decode(Ids{0, 3, 7, 4000000000u, 0}), "aa");
    Json json = good_bpe();
    EXPECT_EQ(open(json)->encode("<end>a<x>"), (Ids{4, 0, 7}));
}

TEST_F(TokenizerFolder, added_tokens_take_spaces_along_and_mind_words_when_told_to) {
    Json json = good_bpe();
    json["added_tokens"] = Json::parse(R"([
        {"id": 4, "content": "<l>", "lstrip": true}, {"id": 5, "content": "<r>", "rstrip": true},
        {"id": 6, "content": "tea", "single_word": true}, {"id": 7, "content": "<rr>"},
        {"id": 8, "content": "two words"}])");
    auto tokenizer = open(json);
    EXPECT_EQ(tokenizer->encode("a  <l> b"), (Ids{0, 4, 3, 1}));
    EXPECT_EQ(tokenizer->encode("a <r> \n b"), (Ids{0, 3, 5, 1}));
    EXPECT_EQ(tokenizer->encode("<r> <l>"), (Ids{5, 4}));
    EXPECT_EQ(tokenizer->encode("<rr><r>"), (Ids{7, 5}));
    EXPECT_EQ(tokenizer->encode("tea,teas tea"), (Ids{6, 0, 3, 6}));
    EXPECT_EQ(tokenizer->encode("atwo wordsb"), (Ids{0, 8, 1}));
    EXPECT_EQ(tokenizer->decode(Ids{0, 8, 1}), "atwo wordsb");
}

TEST_F(TokenizerFolder, normalised_added_tokens_are_found_in_any_case) {
    auto tokenizer = golden_tokenizer("wordpiece-json");
    Ids ids = tokenizer->encode("an ICE CREAM", false);
    ASSERT_EQ(ids.size(), 2u);
    EXPECT_EQ(tokenizer->piece(ids[1]), "ice cream");
    EXPECT_EQ(tokenizer->encode("[mask]", false).size(), 6u);  // this one is not normalised
    EXPECT_EQ(tokenizer->encode("a [MASK]", false).size(), 2u);
}

// ---- Words ----

TEST(Words, of_byte_level_text_begin_with_a_space) {
    auto tokenizer = golden_tokenizer("gpt2-emoji-json");
    Ids ids = tokenizer->encode("a red apple, and no airplanes.");
    ids.insert(ids.begin(), 598);
    ids.push_back(598);
    auto words = tokenizer->words(ids);
    std::vector<std::string> texts;
    size_t next = 1;
    for (const Word& word : words) {
        texts.push_back(word.text);
        EXPECT_EQ(word.first, next);
        next += word.count;
    }
    EXPECT_EQ(next, ids.size() - 1);
    EXPECT_EQ(texts, (Shown{"a", "red", "apple,", "and", "no", "airplanes."}));
}

TEST_F(TokenizerFolder, words_of_byte_level_text_skip_what_is_no_word) {
    Json json = good_bpe();
    json["model"]["vocab"] = Json::parse(R"({"a": 0, "b": 1, "ab": 2, "Ġ": 3, "Ġa": 5, "Ġ,": 6,
        "Ċ": 7, "b\u0120": 8, "ð": 9, "Ł": 10, "ĺ": 11, "Ģ": 12, "Ġð": 13, "Ġ'": 14, "Ġs": 15})");
    auto tokenizer = open(json);
    auto words = [&](const Ids& ids) { return shown(tokenizer->words(ids)); };
    EXPECT_EQ(words({5, 1, 5}), (Shown{"ab@0+2", "a@2+1"}));
    EXPECT_EQ(words({0, 3, 1}), (Shown{"a@0+1", "b@2+1"}));
    EXPECT_EQ(words({3, 3, 5, 3}), (Shown{"a@2+1"}));
    EXPECT_EQ(words({0, 7, 1, 8, 0}), (Shown{"a@0+1", "bb@2+2", "a@4+1"}));
    EXPECT_EQ(words({5, 6, 5}), (Shown{"a,@0+2", "a@2+1"}));
    EXPECT_EQ(words({6, 5}), (Shown{",@0+1", "a@1+1"}));
    EXPECT_EQ(words({0, 4, 1}), (Shown{"a@0+1", "b@2+1"}));    // a special token between
    EXPECT_EQ(words({0, 999, 1}), (Shown{"a@0+1", "b@2+1"}));  // an id without a token
    EXPECT_EQ(words({5, 13, 10, 11, 12, 5}), (Shown{"a@0+1", "😀@1+4", "a@5+1"}));
    EXPECT_EQ(words({13, 10}), (Shown{"\uFFFD@0+2"}));
    EXPECT_EQ(words({5, 14, 15}), (Shown{"a's@0+3"}));
    EXPECT_EQ(words({4, 3, 4}), Shown{});
    EXPECT_EQ(words({}), Shown{});
}

TEST_F(TokenizerFolder, words_of_wordpiece_text_are_glued_and_keep_their_punctuation) {
    folder_.write("vocab.txt", "[UNK]\n[CLS]\n[SEP]\nskate\n##board\n.\n'\ns\ndon\nt\n(\n)\n##s\n");
    auto tokenizer = open();
    auto words = [&](const Ids& ids) { return shown(tokenizer->words(ids)); };
    EXPECT_EQ(words({1, 3, 4, 5, 3, 2}), (Shown{"skateboard.@1+3", "skate@4+1"}));
    EXPECT_EQ(words({3, 6, 7, 8, 6, 9}), (Shown{"skate's@0+3", "don't@3+3"}));
    EXPECT_EQ(words({8, 6, 3}), (Shown{"don'@0+2", "skate@2+1"}));
    EXPECT_EQ(words({3, 10, 8, 11, 5}), (Shown{"skate@0+1", "(@1+1", "don).@2+3"}));
    EXPECT_EQ(words({4, 12, 5}), (Shown{"boards.@0+3"}));
    EXPECT_EQ(words({5, 3}), (Shown{".@0+1", "skate@1+1"}));
    EXPECT_EQ(words({1, 0, 2}), Shown{});
}

// ---- The model's vocabulary ----

TEST(TokenizerCheck, a_tokenizer_fits_its_own_model_and_one_with_spare_rows) {
    auto tokenizer = golden_tokenizer("gpt2-nano");  // 800 tokens
    EXPECT_EQ(tokenizer->size(), 800u);
    tokenizer->check_against(800, "config.json");
    tokenizer->check_against(802, "config.json");  // BLIP has two more rows than tokens
    tokenizer->check_against(896, "config.json");
}

TEST(TokenizerCheck, a_tokenizer_of_another_model_is_refused) {
    auto tokenizer = golden_tokenizer("gpt2-nano");
    std::string error = error_of([&] { tokenizer->check_against(799, "m/config.json"); });
    expect_says(error, "gpt2-nano/tokenizer.json: has ids up to 799");
    expect_says(error, "m/config.json has a vocabulary of 799");
    error = error_of([&] { tokenizer->check_against(50257, "m/config.json"); });
    expect_says(error, "has ids only up to 799");
    expect_says(error, "has a vocabulary of 50257");
    error_of([&] { tokenizer->check_against(0, "m/config.json"); });
}

// ---- Hostile files ----

TEST_F(TokenizerFolder, tokenizer_json_that_is_not_json_is_refused) {
    for (std::string_view content : {"", "{", "[1, 2", "\xFF\xFE", "hello", "{\"model\": {}}x"}) {
        folder_.write("tokenizer.json", content);
        expect_refused("tokenizer.json", "is not valid JSON");
    }
    folder_.write("tokenizer.json", std::string(100000, '['));
    expect_refused("tokenizer.json", "nested deeper");
    folder_.write("tokenizer.json", "[]");
    expect_refused("tokenizer.json", "not an object");
}

TEST_F(TokenizerFolder, tokenizer_json_must_have_a_model_with_a_vocabulary) {
    expect_json_refused(Json::parse("{}"), "model is missing");
    expect_json_refused(Json::parse(R"({"model": 3})"), "model is 3");
    expect_json_refused(Json::parse(R"({"model": {"type": "BPE"}})"), "vocab is missing");
    expect_json_refused(Json::parse(R"({"model": {"type": "BPE", "vocab": {"a": 0}}})"),
                        "merges is missing");
    expect_json_refused(Json::parse(R"({"model": {"type": "BPE", "vocab": {}, "merges": []}})"),
                        "has no tokens");
    expect_json_refused(Json::parse(R"({"model": {"type": "BPE", "vocab": ["a"], "merges": []}})"),
                        "is not an object of tokens");
    expect_json_refused(Json::parse(R"({"model": {"type": "WordLevel", "vocab": []}})"),
                        "type is 'WordLevel'; BPE, Unigram and WordPiece are supported");
    expect_json_refused(Json::parse(R"({"model": {"type": "WordPiece", "vocab": {"a": 0}}})"),
                        "has no token for unknown words");
}

TEST_F(TokenizerFolder, steps_that_are_not_known_are_named) {
    auto with = [](Json json, const char* key, const char* value) {
        json[key] = Json::parse(value);
        return json;
    };
    expect_json_refused(with(good_bpe(), "normalizer", R"({"type": "NFC"})"),
                        "normalizer is not supported");
    expect_json_refused(with(good_bpe(), "pre_tokenizer", R"({"type": "Metaspace"})"),
                        "pre_tokenizer: type is 'Metaspace'");
    expect_json_refused(with(good_bpe(), "decoder", R"({"type": "Sequence"})"), "'Sequence'");
    expect_json_refused(with(good_bpe(), "decoder", R"({})"), "type is missing");
    expect_json_refused(with(good_wordpiece(), "normalizer", R"({"type": "NFKC"})"),
                        "only 'BertNormalizer' is supported");
    expect_json_refused(with(good_wordpiece(), "pre_tokenizer", R"({"type": "Whitespace"})"),
                        "'Whitespace'");
    expect_json_refused(with(good_wordpiece(), "decoder", R"({"type": "CTC"})"), "'CTC'");
    Json json = good_bpe();
    json["model"]["end_of_word_suffix"] = "</w>";
    expect_json_refused(json, "end_of_word_suffix is not empty");
    json = good_wordpiece();
    json["model"]["max_input_chars_per_word"] = 100000;
    expect_json_refused(json, "max_input_chars_per_word");
}

TEST_F(TokenizerFolder, ids_that_are_taken_negative_or_absurd_are_refused) {
    auto with_id = [](const char* id) {
        Json json = good_bpe();
        json["model"]["vocab"]["b"] = Json::parse(id);
        return json;
    };
    expect_json_refused(with_id("0"), "gives the id 0 to both");
    expect_json_refused(with_id("-1"),
                        "gives 'b' the id '-1'; ids are whole numbers below 16777216");
    expect_json_refused(with_id("16777216"), "'16777216'");
    expect_json_refused(with_id("18446744073709551615"), "'18446744073709551615'");
    expect_json_refused(with_id("1.5"), "'1.5'");
    expect_json_refused(with_id("\"1\""), "the id '\"1\"'");
    expect_json_refused(with_id("[]"), "the id something else");
    expect_json_refused(with_id("null"), "'null'");
    EXPECT_EQ(open(with_id("16777215"))->size(), 1u << 24);
    folder_.write("tokenizer.json", R"({"model": {"type": "BPE", "vocab": {"a": 0, "a": 1}}})");
    expect_refused("tokenizer.json", "has 'a' twice");
    Json json = good_bpe();
    json["model"]["vocab"][""] = 9;
    expect_json_refused(json, "has an empty token (id 9)");
}

TEST_F(TokenizerFolder, added_tokens_that_contradict_the_vocabulary_are_refused) {
    auto with = [](const char* tokens) {
        Json json = good_bpe();
        json["added_tokens"] = Json::parse(tokens);
        return json;
    };
    expect_json_refused(with(R"([{"id": 1, "content": "<x>"}])"),
                        "gives the id 1 to both 'b' and '<x>'");
    expect_json_refused(with(R"([{"id": 1, "content": "a"}])"),
                        "'a' has the id 0 in one place and 1");
    expect_json_refused(with(R"([{"id": -1, "content": "<x>"}])"), "entry 1: id is -1");
    expect_json_refused(with(R"([{"id": 16777216, "content": "<x>"}])"), "id is 16777216");
    expect_json_refused(with(R"([{"content": "<x>"}])"), "entry 1: id is missing");
    expect_json_refused(with(R"([{"id": 5}])"), "content is missing");
    expect_json_refused(with(R"([{"id": 5, "content": ""}])"), "empty token");
    expect_json_refused(with(R"([{"id": 5, "content": "<x>", "special": 1}])"), "special is 1");
    expect_json_refused(with(R"(["<x>"])"), "entry 1");
    expect_json_refused(with(R"({"a": 1})"), "added_tokens is not a list");
    Json json = good_bpe();
    json["added_tokens"][0]["content"] = std::string(300, 'x');
    expect_json_refused(json, "an added token of 300 bytes");
}

TEST_F(TokenizerFolder, merges_of_unknown_tokens_are_refused) {
    auto with = [](const char* merges) {
        Json json = good_bpe();
        json["model"]["merges"] = Json::parse(merges);
        return json;
    };
    expect_json_refused(with(R"(["a b", "a x"])"),
                        "entry 2 makes 'ax' of 'a' and 'x', but the vocabulary has no 'x'");
    expect_json_refused(with(R"([["b", "a"]])"), "the vocabulary has no 'ba'");
    expect_json_refused(with(R"(["ab"])"), "entry 1 is not two tokens");
    expect_json_refused(with(R"(["a b c"])"), "entry 1 is not two tokens");
    expect_json_refused(with(R"([["a", ""]])"), "entry 1 is not two tokens");
    expect_json_refused(with(R"([["a"]])"), "entry 1 is not two tokens");
    expect_json_refused(with(R"([["a", 1]])"), "entry 1 is not two tokens");
    expect_json_refused(with(R"([7])"), "entry 1 is not two tokens");
    expect_json_refused(with(R"({"a": "b"})"), "merges: is not a list");
}

TEST_F(TokenizerFolder, long_tokens_do_not_drown_the_error) {
    std::string long_token;
    for (int i = 0; i < 300; ++i) long_token += "é\x01";
    Json json = good_bpe();
    json["model"]["merges"] = Json::array({Json::array({"a", long_token})});
    expect_json_refused(json, "but the vocabulary has no 'é\\x01");
    json = good_bpe();
    json["model"]["vocab"][long_token] = 0;
    expect_json_refused(json, "gives the id 0 to both 'a' and 'é\\x01é");
    json["model"]["vocab"][long_token] = -1;
    expect_json_refused(json, "the id '-1'");
    folder_.write("vocab.txt", long_token + "\n" + long_token + "\n");
    std::filesystem::remove(folder_ / "tokenizer.json");
    expect_refused("vocab.txt", "again");
}

TEST_F(TokenizerFolder, merges_that_repeat_or_overlap_come_to_an_end) {
    Json json = good_bpe();
    json["model"]["vocab"] = Json::parse(R"({"a": 0, "aa": 1, "aaa": 2, "aaaa": 3})");
    json["model"]["merges"] =
        Json::parse(R"(["a a", "aa a", "a aa", "aa aa", "aaa a", "a aaa", "a a", "aa a"])");
    json["added_tokens"] = Json::array();
    auto tokenizer = open(json);
    EXPECT_EQ(tokenizer->decode(tokenizer->encode(std::string(99999, 'a'))),
              std::string(99999, 'a'));
}

TEST_F(TokenizerFolder, broken_merges_txt_is_refused_with_the_line) {
    folder_.write("vocab.json", R"({"a": 0, "b": 1, "ab": 2})");
    expect_refused("merges.txt", "no such file");
    auto refused = [&](std::string_view content, std::string_view part) {
        folder_.write("merges.txt", content);
        expect_refused("merges.txt", part);
    };
    refused("#version: 0.2\na b\na x\n", "line 3 makes 'ax'");
    refused("#version: 0.2\nab\n", "line 2 is not two tokens");
    refused("a b\n\na b\n", "line 2 is not two tokens");
    refused("a b c\n", "line 1 is not two tokens");
    refused("a  b\n", "line 1 is not two tokens");
    refused(std::string_view("a b\na \0b\n", 9), "is not UTF-8 text (line 2)");
    refused("a \xFF\n", "is not UTF-8 text (line 1)");
    folder_.write("merges.txt", "");
    EXPECT_EQ(open()->encode("ab"), (Ids{0, 1}));
    folder_.write("vocab.json", "[0, 1]");
    expect_refused("vocab.json", "is not an object of tokens");
    folder_.write("vocab.json", R"({"a": 0, "b": 0})");
    expect_refused("vocab.json", "gives the id 0 to both 'a' and 'b'");
}

TEST_F(TokenizerFolder, broken_vocab_txt_is_refused_with_the_line) {
    auto refused = [&](std::string_view content, std::string_view part) {
        folder_.write("vocab.txt", content);
        expect_refused("vocab.txt", part);
    };
    refused(std::string(1000000, '\n'), "line 1 is empty");
    refused("[UNK]\na\n" + std::string(1000000, '\n'), "line 3 is empty");
    refused("[UNK]\n \t\n", "line 2 is empty");
    refused("", "is empty");
    refused(std::string_view("[UNK]\na\0b\n", 10), "is not UTF-8 text (line 2)");
    refused("[UNK]\na\n\xC3\x28\n", "is not UTF-8 text (line 3)");
    refused("[UNK]\na\nb\na\n", "line 4 has the token 'a' of line 2 again");
    refused("a\nb\n", "has no token for unknown words");
    folder_.write("vocab.txt", "[UNK]\r\na\r\nb");  // either end of line, or none
    EXPECT_EQ(open()->encode("a b c"), (Ids{1, 2, 0}));
}

TEST_F(TokenizerFolder, a_vocabulary_that_is_no_file_or_too_large_is_refused) {
    std::filesystem::create_directory(folder_ / "vocab.txt");
    expect_refused("vocab.txt", "is not a file");
    std::filesystem::remove(folder_ / "vocab.txt");
    folder_.write("vocab.txt", "[UNK]\n");
    std::filesystem::resize_file(folder_ / "vocab.txt", 65u << 20);
    expect_refused("vocab.txt", "too many for a vocabulary");
    std::filesystem::create_directory(folder_ / "tokenizer.json");
    expect_refused("tokenizer.json", "is not a file");
}

TEST_F(TokenizerFolder, broken_smaller_files_are_refused_by_name) {
    folder_.write("vocab.txt", "[UNK]\na\n");
    auto refused = [&](std::string_view file, std::string_view content, std::string_view part) {
        folder_.write(file, content);
        expect_refused(file, part);
        std::filesystem::remove(folder_ / file);
    };
    refused("tokenizer_config.json", "{", "is not valid JSON");
    refused("tokenizer_config.json", "[]", "not an object");
    refused("tokenizer_config.json", R"({"do_lower_case": "yes"})", "do_lower_case is 'yes'");
    refused("tokenizer_config.json", R"({"bos_token": 3})", "bos_token");
    refused("tokenizer_config.json", R"({"bos_token": {"content": 3}})", "content is 3");
    refused("tokenizer_config.json", R"({"added_tokens_decoder": []})", "added_tokens_decoder is");
    refused("tokenizer_config.json", R"({"added_tokens_decoder": {"x": {"content": "b"}}})",
            "has the id 'x'");
    refused("tokenizer_config.json", R"({"added_tokens_decoder": {"-1": {"content": "b"}}})",
            "has the id '-1'");
    refused("tokenizer_config.json", R"({"added_tokens_decoder": {"16777216": {"content": "b"}}})",
            "has the id '16777216'");
    refused("special_tokens_map.json", "3", "not an object");
    refused("special_tokens_map.json", R"({"additional_special_tokens": [[]]})",
            "additional_special_tokens");
    refused("added_tokens.json", R"({"b": -1})", "gives 'b' the id '-1'");
    refused("added_tokens.json", "[]", "not an object");
    EXPECT_EQ(open()->size(), 2u);
}

}  // namespace
}  // namespace saccade
