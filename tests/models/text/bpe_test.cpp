#include "models/text/bpe.h"

#include <gtest/gtest.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "models/files/json.h"
#include "tests/models/files/temp_folder.h"

namespace saccade {
namespace {

using Ids = std::vector<uint32_t>;
using Texts = std::vector<std::string_view>;

std::unique_ptr<Tokenizer> fixture(std::string_view name) {
    return Tokenizer::open(golden_folder() / "tokenizers" / name);
}

// ---- GPT-2's words ----

TEST(Gpt2Words, letters_numbers_and_signs_are_apart_and_take_one_space_along) {
    EXPECT_EQ(split_gpt2_words("a cat, 2 dogs!"), (Texts{"a", " cat", ",", " 2", " dogs", "!"}));
    EXPECT_EQ(split_gpt2_words("a1b2"), (Texts{"a", "1", "b", "2"}));
    EXPECT_EQ(split_gpt2_words("x -- y"), (Texts{"x", " --", " y"}));
    EXPECT_TRUE(split_gpt2_words("").empty());
}

TEST(Gpt2Words, contractions_are_words_only_where_a_word_may_begin_and_in_lower_case) {
    EXPECT_EQ(split_gpt2_words("it's they're I'll"),
              (Texts{"it", "'s", " they", "'re", " I", "'ll"}));
    EXPECT_EQ(split_gpt2_words("IT'S"), (Texts{"IT", "'", "S"}));
    EXPECT_EQ(split_gpt2_words(" 's"), (Texts{" '", "s"}));
    EXPECT_EQ(split_gpt2_words("''s"), (Texts{"''", "s"}));
    EXPECT_EQ(split_gpt2_words("'story"), (Texts{"'s", "tory"}));
}

TEST(Gpt2Words, the_last_of_several_spaces_goes_with_the_word_behind_them) {
    EXPECT_EQ(split_gpt2_words("a   b"), (Texts{"a", "  ", " b"}));
    EXPECT_EQ(split_gpt2_words("a   "), (Texts{"a", "   "}));
    EXPECT_EQ(split_gpt2_words("a\n\nb"), (Texts{"a", "\n", "\n", "b"}));
    EXPECT_EQ(split_gpt2_words("a \n b"), (Texts{"a", " \n", " b"}));
    EXPECT_EQ(split_gpt2_words("\tb"), (Texts{"\t", "b"}));
}

TEST(Gpt2Words, letters_numbers_and_spaces_of_all_scripts_are_known) {
    EXPECT_EQ(split_gpt2_words("né 漢字かな"), (Texts{"né", " 漢字かな"}));
    EXPECT_EQ(split_gpt2_words("x²½٣"), (Texts{"x", "²½٣"}));
    EXPECT_EQ(split_gpt2_words("a\u00A0b"), (Texts{"a", "\u00A0", "b"}));  // a space, not " "
    EXPECT_EQ(split_gpt2_words("a\u3000\u3000b"), (Texts{"a", "\u3000", "\u3000", "b"}));
    EXPECT_EQ(split_gpt2_words("e\u0301😀"), (Texts{"e", "\u0301😀"}));  // marks are not letters
}

// ---- Merges ----

TEST(Merges, a_pair_is_found_in_its_order_and_ranks_as_it_was_added) {
    Vocabulary vocabulary;
    uint32_t next = 0;
    for (const char* token : {"a", "b", "ab", "ba"}) vocabulary.add(token, next++, "test");
    Merges merges;
    EXPECT_EQ(merges.add(vocabulary, "b", "a"), std::nullopt);
    EXPECT_EQ(merges.add(vocabulary, "a", "b"), std::nullopt);
    ASSERT_NE(merges.find(0, 1), nullptr);
    EXPECT_EQ(merges.find(0, 1)->id, 2u);
    EXPECT_EQ(merges.find(0, 1)->rank, 1u);
    EXPECT_EQ(merges.find(1, 0)->id, 3u);
    EXPECT_EQ(merges.find(0, 0), nullptr);
}

TEST(Merges, the_token_that_is_missing_is_named) {
    Vocabulary vocabulary;
    vocabulary.add("a", 0, "test");
    vocabulary.add("b", 1, "test");
    Merges merges;
    EXPECT_EQ(merges.add(vocabulary, "x", "b"), "x");
    EXPECT_EQ(merges.add(vocabulary, "a", "y"), "y");
    EXPECT_EQ(merges.add(vocabulary, "a", "b"), "ab");
}

// ---- Encoding and decoding ----

class Bpe : public ::testing::Test {
protected:
    // The letters a to e with a space as "Ġ", ids in that order, and merges of them.
    std::unique_ptr<Tokenizer> open(const std::vector<std::string>& tokens,
                                    const std::string& merges) {
        Json vocabulary;
        uint32_t next = 0;
        for (const char* letter : {"a", "b", "c", "d", "e", "Ġ"}) vocabulary[letter] = next++;
        for (const std::string& token : tokens) vocabulary[token] = next++;
        folder_.write("vocab.json", vocabulary.dump());
        folder_.write("merges.txt", merges);
        return Tokenizer::open(folder_.path());
    }

    TempFolder folder_;
};

TEST_F(Bpe, merges_go_by_rank_and_then_from_the_left) {
    auto tokenizer = open({"ab", "bc", "abc"}, "b c\na b\na bc\n");
    EXPECT_EQ(tokenizer->encode("abc"), (Ids{8}));  // bc first, then a with it
    EXPECT_EQ(tokenizer->encode("abab"), (Ids{6, 6}));
    EXPECT_EQ(tokenizer->encode("abd"), (Ids{6, 3}));
    auto repeated = open({"aa", "aaaa"}, "a a\naa aa\n");
    EXPECT_EQ(repeated->encode("aaaaa"), (Ids{7, 0}));
    EXPECT_EQ(repeated->encode("aaa"), (Ids{6, 0}));
}

TEST_F(Bpe, no_merge_reaches_from_word_to_word) {
    auto tokenizer = open({"aĠ", "Ġa"}, "a Ġ\nĠ a\n");
    EXPECT_EQ(tokenizer->encode("a a"), (Ids{0, 7}));
}

TEST_F(Bpe, bytes_without_a_token_are_dropped) {
    auto tokenizer = open({}, "");
    EXPECT_EQ(tokenizer->encode("xaézb"), (Ids{0, 1}));
    EXPECT_TRUE(tokenizer->encode("xyz").empty());
}

TEST_F(Bpe, a_merges_file_needs_no_header_and_loses_no_line_without_one) {
    for (const char* merges : {"a b\nb c\n", "#version: 0.2\na b\nb c", "a b\r\nb c\r\n"}) {
        auto tokenizer = open({"ab", "bc"}, merges);
        EXPECT_EQ(tokenizer->encode("ab"), (Ids{6})) << merges;
        EXPECT_EQ(tokenizer->encode("bc"), (Ids{7})) << merges;
    }
}

TEST_F(Bpe, a_merge_of_number_signs_is_no_comment) {
    auto tokenizer = open({"#", "##"}, "#version: 0.2\n# #\n");
    EXPECT_EQ(tokenizer->encode("##"), (Ids{7}));
}

TEST_F(Bpe, a_long_word_takes_no_time_to_speak_of) {
    auto tokenizer =
        open({"aa", "aaaa", "aaaaaaaa", "ab", "ba"}, "a a\naa aa\naaaa aaaa\na b\nb a\n");
    std::string mixed;
    for (size_t i = 0; i < 50000; ++i) mixed += "ab";
    auto start = std::chrono::steady_clock::now();
    EXPECT_EQ(tokenizer->encode(std::string(100000, 'a')).size(), 12500u);
    EXPECT_EQ(tokenizer->encode(mixed).size(), 50000u);
    EXPECT_EQ(tokenizer->encode(std::string(100000, 'e')).size(), 100000u);
    EXPECT_EQ(tokenizer->encode(std::string(100000, ' ')).size(), 100000u);
    auto seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start);
    EXPECT_LT(seconds.count(), 2.0);
}

TEST_F(Bpe, text_that_is_not_utf8_is_read_as_replacement_characters) {
    auto tokenizer = fixture("gpt2-nano");
    EXPECT_EQ(tokenizer->encode("a\xFF"), tokenizer->encode("a\uFFFD"));
    EXPECT_EQ(tokenizer->encode("\xE2\x82"), tokenizer->encode("\uFFFD"));
}

TEST_F(Bpe, any_text_comes_back_as_it_was) {
    auto tokenizer = fixture("gpt2-nano");
    for (std::string text : {"it's  a\n\ttest.", " 漢字 😀👨‍👩‍👧 é e\u0301",
                             "שלום مرحبا", "<|endoftext", "a .b , c", "\u00A0\u2003"}) {
        EXPECT_EQ(tokenizer->decode(tokenizer->encode(text)), text);
    }
    std::string zero("a\0b", 3);
    EXPECT_EQ(tokenizer->decode(tokenizer->encode(zero)), zero);
}

TEST_F(Bpe, the_kits_captions_decode_to_transformers_texts) {
    auto tokenizer = fixture("gpt2-nano");
    Ids greedy{0, 253, 620, 783, 783, 783, 783, 783, 783, 783, 783, 783, 365};
    EXPECT_EQ(tokenizer->decode(greedy), "\uFFFDsoritritritritritritritritriterm");
    Ids beam{0, 253, 620, 783, 783, 783, 783, 783, 783, 783, 518, 518, 560};
    EXPECT_EQ(tokenizer->decode(beam), "\uFFFDsoritritritritritritrit al alva");
    EXPECT_EQ(tokenizer->decode(Ids{0, 518}, false), "<|endoftext|> al");
}

TEST_F(Bpe, a_prefix_space_makes_the_first_word_like_any_other) {
    for (const char* name : {"gpt2-emoji-json", "gpt2-emoji-files"}) {
        auto tokenizer = fixture(name);
        Ids ids = tokenizer->encode("a red apple");
        EXPECT_EQ(ids, tokenizer->encode(" a red apple"));
        EXPECT_EQ(tokenizer->decode(ids), " a red apple");
        EXPECT_EQ(tokenizer->special().bos, 598u);
        EXPECT_EQ(tokenizer->special().eos, 598u);
        EXPECT_EQ(tokenizer->special().pad, 598u);
    }
    EXPECT_NE(fixture("gpt2-nano")->encode("a"), fixture("gpt2-nano")->encode(" a"));
}

TEST_F(Bpe, special_tokens_written_out_become_their_ids) {
    auto tokenizer = fixture("gpt2-nano");
    Ids a = tokenizer->encode("a");
    ASSERT_EQ(a.size(), 1u);
    EXPECT_EQ(tokenizer->encode("a<|endoftext|><|endoftext|>a"), (Ids{a[0], 0, 0, a[0]}));
    EXPECT_TRUE(tokenizer->is_special(0));
    EXPECT_FALSE(tokenizer->is_special(a[0]));
}

TEST_F(Bpe, broken_bytes_become_replacement_characters_as_python_makes_them) {
    Json vocabulary;
    // Bytes 0x80 to 0xBF and 0xE0 to 0xF4 in the vocabulary's spelling.
    vocabulary["â"] = 0;  // E2
    vocabulary["Ĥ"] = 1;  // 82
    vocabulary["¬"] = 2;  // AC
    vocabulary["a"] = 3;
    vocabulary["í"] = 4;  // ED, begins a surrogate with
    vocabulary["ł"] = 5;  // A0
    vocabulary["ð"] = 6;  // F0
    vocabulary["Ł"] = 7;  // 9F
    folder_.write("vocab.json", vocabulary.dump());
    folder_.write("merges.txt", "");
    auto tokenizer = Tokenizer::open(folder_.path());
    EXPECT_EQ(tokenizer->decode(Ids{0, 1, 2}), "€");
    EXPECT_EQ(tokenizer->decode(Ids{0, 1, 3}), "\uFFFDa");
    EXPECT_EQ(tokenizer->decode(Ids{0, 1}), "\uFFFD");
    EXPECT_EQ(tokenizer->decode(Ids{0, 0}), "\uFFFD\uFFFD");
    EXPECT_EQ(tokenizer->decode(Ids{1, 2}), "\uFFFD\uFFFD");
    EXPECT_EQ(tokenizer->decode(Ids{4, 5, 2}), "\uFFFD\uFFFD\uFFFD");
    EXPECT_EQ(tokenizer->decode(Ids{6, 7, 1, 3}), "\uFFFDa");
    EXPECT_EQ(tokenizer->piece(0), "\uFFFD");
}

TEST_F(Bpe, transformers_clean_up_is_not_for_byte_level_text) {
    auto tokenizer = fixture("gpt2-nano");
    EXPECT_EQ(tokenizer->decode(tokenizer->encode("a . b , c 's")), "a . b , c 's");
}

TEST_F(Bpe, a_piece_is_the_text_that_an_id_adds) {
    auto tokenizer = fixture("gpt2-emoji-json");
    Ids ids = tokenizer->encode("red");
    ASSERT_EQ(ids.size(), 1u);
    EXPECT_EQ(tokenizer->piece(ids[0]), " red");
    EXPECT_EQ(tokenizer->piece(598), "<|endoftext|>");
    EXPECT_EQ(tokenizer->piece(599), "");
}

}  // namespace
}  // namespace saccade
