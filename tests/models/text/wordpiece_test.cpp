#include "models/text/wordpiece.h"

#include <gtest/gtest.h>

#include <ctime>
#include <nlohmann/json.hpp>

#include "models/files/json.h"
#include "models/text/unicode.h"
#include "tests/models/files/temp_folder.h"

namespace saccade {
namespace {

using Ids = std::vector<uint32_t>;

// ---- Unicode ----

TEST(Unicode, broken_utf8_is_replaced_sequence_by_sequence) {
    EXPECT_EQ(valid_utf8("aé漢😀"), "aé漢😀");
    EXPECT_EQ(valid_utf8("\xC0\xAF"), "\uFFFD\uFFFD");                      // longer than need be
    EXPECT_EQ(valid_utf8("\xED\xA0\x80"), "\uFFFD\uFFFD\uFFFD");            // a surrogate
    EXPECT_EQ(valid_utf8("\xF4\x90\x80\x80"), "\uFFFD\uFFFD\uFFFD\uFFFD");  // past the end
    EXPECT_EQ(valid_utf8("\xF0\x9F\x98x"), "\uFFFDx");
    EXPECT_EQ(valid_utf8("\xE2\x82"), "\uFFFD");
    EXPECT_EQ(find_invalid_utf8("aé\xFF"), 3u);
    EXPECT_EQ(find_invalid_utf8("aé"), std::string_view::npos);
}

TEST(Unicode, every_character_survives_utf8) {
    for (char32_t character = 0; character < 0x110000; ++character) {
        if (character >= 0xD800 && character < 0xE000) continue;
        std::string text;
        append_utf8(text, character);
        size_t at = 0;
        ASSERT_EQ(next_character(text, at), character);
        ASSERT_EQ(at, text.size());
        ASSERT_EQ(find_invalid_utf8(text), text.npos);
    }
}

// All of these characters must be of this kind, or none of them.
void expect_all(std::u32string_view characters, bool (*kind)(char32_t), bool expected) {
    for (char32_t character : characters) {
        EXPECT_EQ(kind(character), expected) << std::hex << static_cast<uint32_t>(character);
    }
}

TEST(Unicode, categories_end_where_unicode_says) {
    expect_all(U"aZªºµéßĿʰΩЖאبअ一龥가한ｱ𝔸𠀀𪚥", is_letter, true);
    expect_all(U"@[`{×÷\u02DB\u0301·٠①€😀、", is_letter, false);
    expect_all(U"09²¼٠९①Ⅷ〇㊉𝟘", is_number, true);
    expect_all(U"/:a一°", is_number, false);
    expect_all(U"!\"%-_\\¡§«·»–—‘“…。、「」", is_punctuation, true);
    expect_all(U"$+<=>^`|~€°½", is_punctuation, false);
    expect_all(U"\t\n\v\f\r \u0085\u00A0\u1680\u2000\u200A\u2028\u2029\u202F\u205F\u3000", is_space,
               true);
    expect_all(U"\u001C\u180E\u200B\uFEFF", is_space, false);
    expect_all(U"\u0001\u007F\u00AD\u200D\uE123\U0010FFFD", is_other, true);
    expect_all(U" a\u0378\U0010FFFF", is_other, false);  // the last two are not assigned
    expect_all(U"\u0301\u05B8\u3099\uFE0F", is_accent, true);
    expect_all(U"a\u0903\u20E3", is_accent, false);  // marks that take room, or enclose
}

TEST(Unicode, letters_lose_their_accents_and_hangul_comes_apart) {
    EXPECT_EQ(without_accents(U'é'), U"e");
    EXPECT_EQ(without_accents(U'Å'), U"A");
    EXPECT_EQ(without_accents(U'ệ'), U"e");
    EXPECT_EQ(without_accents(U'ø'), U"ø");  // a letter of its own
    EXPECT_EQ(without_accents(U'ΐ'), U"ι");
    EXPECT_EQ(without_accents(U'й'), U"и");
    EXPECT_EQ(without_accents(U'が'), U"か");
    EXPECT_EQ(without_accents(0x301), U"");
    EXPECT_EQ(without_accents(U'한'), U"\u1112\u1161\u11AB");
    EXPECT_EQ(without_accents(U'가'), U"\u1100\u1161");
    EXPECT_EQ(without_accents(0xF900), U"\u8C48");
    EXPECT_EQ(without_accents(0x9CB), U"\u09C7\u09BE");
    EXPECT_EQ(without_accents(0x2FA1D), U"\U0002A600");
}

TEST(Unicode, lower_case_is_known_for_all_scripts_that_have_it) {
    EXPECT_EQ(to_lower(U'Z'), U"z");
    EXPECT_EQ(to_lower(U'['), U"[");
    EXPECT_EQ(to_lower(U'É'), U"é");
    EXPECT_EQ(to_lower(U'×'), U"×");
    EXPECT_EQ(to_lower(U'Ā'), U"ā");
    EXPECT_EQ(to_lower(U'ā'), U"ā");
    EXPECT_EQ(to_lower(U'Ÿ'), U"ÿ");
    EXPECT_EQ(to_lower(U'İ'), U"i\u0307");
    EXPECT_EQ(to_lower(U'Σ'), U"σ");
    EXPECT_EQ(to_lower(U'Й'), U"й");
    EXPECT_EQ(to_lower(U'ẞ'), U"ß");
    EXPECT_EQ(to_lower(0x10400), U"\U00010428");
}

// ---- BERT's normaliser ----

TEST(BertNormalizer, cases_and_accents_go_unless_told_otherwise) {
    EXPECT_EQ(BertNormalizer{}("Café ÀÉ Việt ΆΣ Йё"), "cafe ae viet ασ ие");
    EXPECT_EQ(BertNormalizer{.lowercase = false}("Café ÀÉ"), "Café ÀÉ");
    EXPECT_EQ((BertNormalizer{.strip_accents = false}("Café ÀÉİ")), "café àéi\u0307");
    EXPECT_EQ((BertNormalizer{.strip_accents = true, .lowercase = false}("Café ÀÉ")), "Cafe AE");
}

TEST(BertNormalizer, control_characters_go_and_white_space_becomes_spaces) {
    BertNormalizer normalizer;
    EXPECT_EQ(normalizer("a\tb\nc\u00A0d\u3000e"), "a b c d e");
    EXPECT_EQ(normalizer("a\u200Db\u0001c\uFFFDd\u00ADe\vf\u0085g"), "abcdefg");
    EXPECT_EQ(normalizer(std::string_view("a\0b", 3)), "ab");
    normalizer.clean_text = false;
    EXPECT_EQ(normalizer("a\tb\u200Dc"), "a\tb\u200Dc");
}

TEST(BertNormalizer, chinese_characters_stand_apart_but_not_kana) {
    EXPECT_EQ(BertNormalizer{}("a中国b"), "a 中  国 b");
    EXPECT_EQ(BertNormalizer{}("かなカナ"), "かなカナ");
    EXPECT_EQ(BertNormalizer{.space_chinese = false}("a中b"), "a中b");
}

// ---- WordPiece ----

class WordPieceTest : public ::testing::Test {
protected:
    // Ids count from 0 in the order given, after [UNK] 0, [CLS] 1 and [SEP] 2.
    std::unique_ptr<Tokenizer> open(const std::vector<std::string>& tokens,
                                    const std::string& config = "{}") {
        std::string lines = "[UNK]\n[CLS]\n[SEP]\n";
        for (const std::string& token : tokens) lines += token + "\n";
        folder_.write("vocab.txt", lines);
        folder_.write("tokenizer_config.json", config);
        return Tokenizer::open(folder_.path());
    }

    TempFolder folder_;
};

TEST_F(WordPieceTest, the_longest_beginning_is_taken_each_time) {
    auto tokenizer = open({"un", "una", "##aff", "##ffable", "##able", "##a"});
    EXPECT_EQ(tokenizer->encode("unaffable", false), (Ids{4, 6}));
    EXPECT_EQ(tokenizer->encode("Una", false), (Ids{4}));
    EXPECT_EQ(tokenizer->encode("unable", false), (Ids{0}));  // "una" leaves "ble"
}

TEST_F(WordPieceTest, a_word_that_cannot_be_spelt_is_unknown_as_a_whole) {
    auto tokenizer = open({"a", "##b", "c"});
    EXPECT_EQ(tokenizer->encode("ab abx c", false), (Ids{3, 4, 0, 5}));
    EXPECT_EQ(tokenizer->encode("😀", false), (Ids{0}));
    EXPECT_EQ(tokenizer->encode("é", false), (Ids{0}));
}

TEST_F(WordPieceTest, cls_and_sep_go_around_when_asked_for) {
    auto tokenizer = open({"a"});
    EXPECT_EQ(tokenizer->encode("a"), (Ids{1, 3, 2}));
    EXPECT_EQ(tokenizer->encode("a", false), (Ids{3}));
    EXPECT_EQ(tokenizer->encode(""), (Ids{1, 2}));
    EXPECT_EQ(tokenizer->encode("a [SEP]A[UNK]", false), (Ids{3, 2, 3, 0}));
}

TEST_F(WordPieceTest, signs_are_words_of_their_own) {
    auto tokenizer = open({"a", ".", "$", "-", "。", "##."});
    EXPECT_EQ(tokenizer->encode("a..$a-a。", false), (Ids{3, 4, 4, 5, 3, 6, 3, 7}));
}

TEST_F(WordPieceTest, a_word_of_more_than_a_hundred_characters_is_unknown) {
    auto tokenizer = open({"a", "##a", "é", "##é"}, R"({"do_lower_case": false})");
    EXPECT_EQ(tokenizer->encode(std::string(100, 'a'), false).size(), 100u);
    EXPECT_EQ(tokenizer->encode(std::string(101, 'a'), false), (Ids{0}));
    std::string accents;
    for (int i = 0; i < 100; ++i) accents += "é";  // characters count, not bytes
    EXPECT_EQ(tokenizer->encode(accents, false).size(), 100u);
    EXPECT_EQ(tokenizer->encode(accents + "é", false), (Ids{0}));
}

TEST_F(WordPieceTest, long_texts_take_no_time_to_speak_of) {
    auto tokenizer = open({"a", "##a", std::string(90, 'a') + "b"});
    std::string words;
    for (int i = 0; i < 1000; ++i) words += std::string(99, 'a') + " ";
    const std::clock_t start = std::clock();  // of the processor, however busy the machine is
    EXPECT_EQ(tokenizer->encode(std::string(100000, 'a'), false), (Ids{0}));
    EXPECT_EQ(tokenizer->encode(words, false).size(), 99000u);
    EXPECT_LT(double(std::clock() - start) / CLOCKS_PER_SEC, 2.0);
}

TEST_F(WordPieceTest, case_and_accents_are_kept_for_a_cased_vocabulary) {
    auto cased = open({"Café", "cafe"}, R"({"do_lower_case": false})");
    EXPECT_EQ(cased->encode("Café cafe Cafe", false), (Ids{3, 4, 0}));
    auto uncased = open({"Café", "cafe"}, R"({"do_lower_case": true, "strip_accents": null})");
    EXPECT_EQ(uncased->encode("Café cafe CAFÉ", false), (Ids{4, 4, 4}));
    auto accented = open({"café", "cafe"}, R"({"strip_accents": false})");
    EXPECT_EQ(accented->encode("Café cafe", false), (Ids{3, 4}));
}

TEST_F(WordPieceTest, decoding_glues_pieces_and_cleans_up_as_bert_does) {
    auto tokenizer = open({"skate", "##board", "##s", ".", ",", "'", "s", "don", "t", "woman", "!",
                           "(", ")", "?", "-"});
    auto text = [&](const Ids& ids) { return tokenizer->decode(ids); };
    EXPECT_EQ(text({3, 4, 5, 6}), "skateboards.");
    EXPECT_EQ(text({12, 8, 9, 7, 3, 13}), "woman's, skate!");
    EXPECT_EQ(text({10, 8, 11, 16}), "don't?");
    EXPECT_EQ(text({14, 12, 15, 17, 3}), "( woman ) - skate");
    EXPECT_EQ(text({4, 5}), "##boards");  // nothing to continue
    EXPECT_EQ(text({}), "");
}

TEST_F(WordPieceTest, without_clean_up_only_single_tokens_lose_their_space) {
    auto tokenizer = open({"woman", "'", "s", "."}, R"({"clean_up_tokenization_spaces": false})");
    EXPECT_EQ(tokenizer->decode(Ids{3, 4, 5, 6}), "woman ' s.");
}

TEST_F(WordPieceTest, special_tokens_and_ids_without_a_token_are_left_out) {
    auto tokenizer = open({"a", "[MASK]", "##b"});
    EXPECT_EQ(tokenizer->decode(Ids{1, 3, 4, 0, 99, 5, 2}), "ab");
    EXPECT_EQ(tokenizer->decode(Ids{1, 3, 4, 2}, false), "[CLS] a [MASK] [SEP]");
    EXPECT_EQ(tokenizer->special().mask, 4u);
    EXPECT_EQ(tokenizer->special().pad, std::nullopt);
}

TEST_F(WordPieceTest, a_piece_has_no_prefix) {
    auto tokenizer = open({"skate", "##board"});
    EXPECT_EQ(tokenizer->piece(3), "skate");
    EXPECT_EQ(tokenizer->piece(4), "board");
    EXPECT_EQ(tokenizer->piece(2), "[SEP]");
    EXPECT_EQ(tokenizer->piece(5), "");
}

TEST_F(WordPieceTest, a_prompt_for_blip_begins_as_it_does_in_transformers) {
    auto tokenizer = Tokenizer::open(golden_folder() / "tokenizers" / "wordpiece-uncased");
    Ids ids = tokenizer->encode("a woman and her");
    ASSERT_EQ(ids.size(), 6u);
    EXPECT_EQ(ids.front(), tokenizer->special().cls);
    EXPECT_EQ(ids.back(), tokenizer->special().sep);
    ASSERT_TRUE(tokenizer->special().bos);
    EXPECT_EQ(tokenizer->piece(*tokenizer->special().bos), "[DEC]");
}

TEST_F(WordPieceTest, tokenizer_json_and_vocab_txt_give_the_same_ids) {
    auto json = Tokenizer::open(golden_folder() / "tokenizers" / "wordpiece-json");
    auto text = Tokenizer::open(golden_folder() / "tokenizers" / "wordpiece-uncased");
    for (const char* caption :
         {"Two cats sleeping on a couch.", "skateboarding", "中国 Café", ""}) {
        EXPECT_EQ(json->encode(caption), text->encode(caption)) << caption;
        EXPECT_EQ(json->decode(json->encode(caption)), text->decode(text->encode(caption)));
    }
}

TEST_F(WordPieceTest, tokenizer_json_says_how_to_normalise_and_tokenizer_config_overrules_it) {
    Json json = Json::parse(R"({"model": {"type": "WordPiece", "unk_token": "?",
        "continuing_subword_prefix": "+", "max_input_chars_per_word": 3,
        "vocab": {"?": 0, "A": 1, "+é": 2, "+e": 3, "a": 4, "中中": 5}},
        "normalizer": {"type": "BertNormalizer", "clean_text": true, "strip_accents": false,
                       "handle_chinese_chars": false, "lowercase": false}})");
    folder_.write("tokenizer.json", json.dump());
    auto tokenizer = Tokenizer::open(folder_.path());
    EXPECT_EQ(tokenizer->encode("Aé aé 中中 Aeee", false), (Ids{1, 2, 4, 2, 5, 0}));
    EXPECT_EQ(tokenizer->decode(Ids{1, 2, 4}), "Aé a");
    EXPECT_EQ(tokenizer->special().unk, 0u);
    folder_.write("tokenizer_config.json", R"({"do_lower_case": true, "strip_accents": true})");
    EXPECT_EQ(Tokenizer::open(folder_.path())->encode("Aé", false), (Ids{4, 3}));
}

}  // namespace
}  // namespace saccade
