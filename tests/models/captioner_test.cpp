#include "models/captioner.h"

#include <cmath>
#include <numeric>
#include <set>

#include "gpu/ops/elementwise.h"
#include "gpu/ops/rows.h"
#include "models/attention/attention_maps.h"
#include "tests/models/caption_fixture.h"

namespace saccade {
namespace {

class CaptionParity : public CaptionTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(CaptionParity, every_step_says_what_transformers_says) {
    const Golden golden(GetParam());
    const Ids ids = golden.ids();
    const std::vector<double> margin = golden.info["margin"];
    for (Type precision : {Type::f32, Type::f16}) {
        const double allowed = precision == Type::f32 ? 1e-4 : 2e-2;
        SCOPED_TRACE(name_of(precision));
        Captioner captioner = make(golden, precision);
        captioner.use(as_long_as(ids.size()));
        see(captioner);
        const uint32_t last = captioner.model().decoder().form().layers - 1;
        Floats logits, attention;
        size_t sure = 0;  // steps before the first that half precision may change
        while (sure < margin.size() && (precision == Type::f32 || margin[sure] >= 0.02)) ++sure;
        for (size_t step = 0; step < sure; ++step) {
            captioner.advance(1);
            const Caption now = captioner.result();
            ASSERT_EQ(now.ids, Ids(ids.begin(), ids.begin() + std::ptrdiff_t(step + 2)));
            const Floats top =
                run([&](Commands& c) { return topk(c, captioner.logits(), 8).values; });
            const Floats row = run([&](Commands& c) {
                return captioner.attention_of_word(c, {.layer = last}, step + 1, 1);
            });
            logits.insert(logits.end(), top.begin(), top.end());
            attention.insert(attention.end(), row.begin(), row.end());
        }
        auto first = [](Floats all, size_t count) {
            all.resize(count);
            return all;
        };
        EXPECT_LT(relative_error(logits, first(golden["step_logits_top8"], logits.size())),
                  allowed);
        EXPECT_LT(
            relative_error(attention, first(golden["cross_attention_steps"], attention.size())),
            allowed);
        const Floats seen = run([&](Commands& c) {
            const Tensor rows = captioner.encoded().slice_rows(0, 8);
            const Tensor y = c.scratch(1, 8, rows.columns, Type::f32);
            copy(c, y, rows);
            return y;
        });
        EXPECT_LT(relative_error(seen, golden["encoder_last"]), allowed);
    }
}

class CaptionEncoders : public CaptionParity {};

TEST_P(CaptionEncoders, looking_into_the_encoder_changes_no_word) {
    const Golden golden(GetParam());
    Captioner captioner = make(golden, Type::f32);
    captioner.use(as_long_as(golden.ids().size()));
    const uint32_t last = captioner.model().encoder_layers() - 1;
    Tap tap({last});
    captioner.prepare({frame.width(), frame.height()});
    begin();
    frame.record(commands);
    captioner.record(commands, frame.image(), tap);
    finish();
    captioner.start();
    captioner.advance(UINT32_MAX);
    EXPECT_EQ(captioner.result().ids, golden.ids());

    const PictureTokens tokens = captioner.model().picture();
    EXPECT_EQ(tap.layer(last).k.rows, tokens.tokens);
    const AttentionRow attention(device);
    const Floats row = run([&](Commands& c) {
        return attention.record(c, tap.layer(last), tokens.first_cell, std::nullopt);
    });
    EXPECT_NEAR(std::accumulate(row.begin(), row.end(), 0.0), 1.0, 1e-5);
    EXPECT_THROW(tap.layer(last + 1), Error);
}

TEST_P(CaptionParity, words_in_one_go_are_those_of_word_by_word) {
    const Golden golden(GetParam());
    Captioner captioner = make(golden, Type::f32);
    captioner.use(as_long_as(golden.ids().size()));
    for (uint32_t words : {1u, 3u, 100u}) {
        see(captioner);
        EXPECT_FALSE(captioner.finished());
        size_t rounds = 0;
        for (; !captioner.finished() && rounds < 50; ++rounds) captioner.advance(words);
        EXPECT_EQ(rounds, (12 + words - 1) / words);
        EXPECT_EQ(captioner.result().ids, golden.ids()) << words;
    }
}

TEST_P(CaptionParity, given_words_are_read_at_once_as_if_they_had_been_written) {
    const Golden golden(GetParam());
    const Ids ids = golden.ids();
    Captioner captioner = make(golden, Type::f32);
    Generation generation = captioner.generation();
    generation.max_length = static_cast<uint32_t>(ids.size());
    see(captioner);
    captioner.result();
    for (uint32_t beams : {1u, 2u}) {
        generation.beams = beams;
        // The picture stays in the captioner's memory, which another decoding may read, too.
        auto decoding = Decoding::make(device, arena, captioner.model(), captioner.memory(),
                                       generation, std::span(ids).first(7));
        decoding->start({true});
        decoding->advance(UINT32_MAX);
        const DecodedIds got = decoding->results().front();
        EXPECT_TRUE(std::equal(ids.begin(), ids.begin() + 7, got.ids.begin()));
        EXPECT_EQ(got.ids.size(), ids.size());
        for (size_t i = 0; i < got.log_probs.size(); ++i)
            EXPECT_EQ(got.log_probs[i] == 0, i < 7) << i;
        if (beams == 1) {
            EXPECT_EQ(got.ids, ids);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(All, CaptionParity,
                         ::testing::Values("vit-gpt2-nano", "vit-gpt2-odd", "blip-nano", "blip-odd",
                                           "hybrid-gpt2-nano", "show-attend-tell-nano"));
// Captioners whose encoder has attention.
INSTANTIATE_TEST_SUITE_P(All, CaptionEncoders,
                         ::testing::Values("vit-gpt2-nano", "vit-gpt2-odd", "blip-nano", "blip-odd",
                                           "hybrid-gpt2-nano"));

class CaptionRules : public CaptionParity {};

TEST_P(CaptionRules, sentences_are_what_transformers_generates) {
    Golden golden(GetParam());
    const Json plain = golden.generation;
    for (const Json& sentence : golden.info["sentences"]) {
        SCOPED_TRACE(sentence["name"]);
        CaptionOptions options = as_long_as(golden.ids().size());
        golden.generation = plain;
        for (const auto& [rule, value] : sentence["rules"].items()) {
            if (rule == "num_beams")
                options.beams = value;
            else if (rule == "no_repeat_ngram_size")
                options.no_repeat = value;
            else if (rule == "length_penalty")
                options.length_penalty = value;
            else
                golden.generation[rule] = value;
        }
        // BLIP's decoder does not read that file: in transformers these rules are arguments only.
        if (golden.config["model_type"] == "blip" && golden.generation != plain) continue;
        Captioner captioner = make(golden, Type::f32);
        captioner.use(options);
        see(captioner);
        captioner.advance(UINT32_MAX);
        const Caption caption = captioner.result();
        EXPECT_EQ(caption.ids, sentence["ids"].get<Ids>());
        if (sentence["score"].is_number()) {
            EXPECT_NEAR(caption.score, sentence["score"].get<double>(), 1e-4);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(All, CaptionRules,
                         ::testing::Values("vit-gpt2-odd", "blip-odd", "hybrid-gpt2-nano",
                                           "show-attend-tell-nano"));

class CaptionerTest : public CaptionTest {
protected:
    const Golden gpt2{"vit-gpt2-nano"};
};

TEST_F(CaptionerTest, four_beams_find_the_sentence_that_transformers_finds) {
    Captioner captioner = make(gpt2, Type::f32);
    CaptionOptions options = as_long_as(13);
    options.beams = 4;
    captioner.use(options);
    const Caption found = caption(captioner);
    EXPECT_EQ(found.ids, gpt2.info["beam4_ids"].get<Ids>());
    EXPECT_NEAR(found.score, gpt2.info["beam4_score"].get<double>(), 1e-4);
    double sum = 0;
    for (float log : found.log_probs) sum += double(log);
    EXPECT_NEAR(sum / 12, found.score, 1e-5);
    EXPECT_EQ(caption(captioner).ids, found.ids) << "once more";
}

TEST_F(CaptionerTest, what_the_words_of_the_best_beam_looked_at_is_kept) {
    // The same ids, written by beam search and read by greedy search.
    Captioner captioner = make(gpt2, Type::f32);
    CaptionOptions options = as_long_as(6);
    options.beams = 3;
    captioner.use(options);
    const Caption found = caption(captioner);
    auto map = [&](size_t word) {
        return run([&](Commands& c) { return captioner.look_from_word(c, {.layer = 1}, word, 1); });
    };
    std::vector<Floats> by_beams;
    for (size_t i = 1; i < found.ids.size(); ++i) by_beams.push_back(map(i));
    captioner.use(as_long_as(6));
    see(captioner);
    for (size_t i = 1; i < found.ids.size(); ++i) {
        captioner.advance(1);
        const Caption now = captioner.result();
        EXPECT_LT(relative_error(by_beams[i - 1], map(i)), 1e-4) << i;
        if (now.ids[i] != found.ids[i]) break;  // from here on the inputs differ
    }
}

TEST_F(CaptionerTest, a_word_of_several_pieces_looks_where_they_look_on_average) {
    Captioner captioner = make(gpt2, Type::f32);
    captioner.use(as_long_as(8));
    caption(captioner);
    auto map = [&](size_t first, size_t count, std::optional<uint32_t> head) {
        return run([&](Commands& c) {
            return captioner.look_from_word(c, {.layer = 0, .head = head}, first, count);
        });
    };
    for (std::optional<uint32_t> head : {std::optional<uint32_t>(), std::optional<uint32_t>(2)}) {
        const Floats together = map(2, 3, head);
        ASSERT_EQ(together.size(), 16u) << "a cell a patch";
        Floats mean(16);
        for (size_t piece = 2; piece < 5; ++piece) {
            const Floats one = map(piece, 1, head);
            for (size_t i = 0; i < 16; ++i) mean[i] += one[i] / 3;
        }
        EXPECT_LT(relative_error(together, mean), 1e-5);
    }
    EXPECT_GT(relative_error(map(2, 1, 0), map(2, 1, 1)), 1e-3) << "heads differ";
    expect_says(error_of([&] { map(1, 1, 4); }), "no head 4");
    expect_says(error_of([&] { map(0, 1, 0); }), "no word");
    expect_says(error_of([&] { map(7, 3, 0); }), "no word");
    expect_says(error_of([&] { captioner.look_from_word(commands, {.layer = 2}, 1, 1); }),
                "no layer 2");
    const MapGeometry geometry = captioner.geometry();
    EXPECT_EQ(geometry.grid, (Size{4, 4}));
    EXPECT_NEAR(geometry.cell.x, float(picture.width) / 4, 1e-3);
    EXPECT_NEAR(geometry.cell.y, float(picture.height) / 4, 1e-3);
}

TEST_F(CaptionerTest, end_of_text_as_the_first_word_is_an_empty_caption) {
    Golden golden("vit-gpt2-nano");
    golden.generation["eos_token_id"] = 253u;  // the id that it generates first
    for (uint32_t beams : {1u, 3u}) {
        Captioner captioner = make(golden, Type::f32);
        CaptionOptions options;
        options.beams = beams;
        options.length_penalty = -8;  // short sentences are best
        captioner.use(options);
        const Caption found = caption(captioner);
        EXPECT_EQ(found.ids, (Ids{0, 253})) << beams;
        EXPECT_TRUE(captioner.finished());
    }
}

TEST_F(CaptionerTest, a_sentence_that_has_ended_is_cut_there_and_asks_for_no_more_steps) {
    Golden golden("vit-gpt2-nano");
    golden.generation["eos_token_id"] = {5u, 783u};
    Captioner captioner = make(golden, Type::f32);
    see(captioner);
    captioner.advance(10);
    EXPECT_EQ(captioner.result().ids, (Ids{0, 253, 620, 783}));
    EXPECT_TRUE(captioner.finished());
    captioner.advance(10);
    EXPECT_EQ(captioner.result().ids, (Ids{0, 253, 620, 783}));
}

TEST_F(CaptionerTest, runs_of_words_come_only_once_when_that_is_asked_for) {
    for (uint32_t beams : {1u, 3u}) {
        Captioner captioner = make(gpt2, Type::f32);
        CaptionOptions options = as_long_as(16);
        options.beams = beams;
        auto pairs = [&] {
            const Ids ids = caption(captioner).ids;
            std::multiset<std::pair<uint32_t, uint32_t>> all;
            for (size_t i = 1; i < ids.size(); ++i) all.insert({ids[i - 1], ids[i]});
            return all;
        };
        captioner.use(options);
        const auto before = pairs();
        EXPECT_LT(std::set(before.begin(), before.end()).size(), before.size());
        options.no_repeat = 2;
        captioner.use(options);
        const auto after = pairs();
        EXPECT_EQ(std::set(after.begin(), after.end()).size(), after.size()) << beams;
    }
}

TEST_F(CaptionerTest, the_rules_of_generation_config_are_kept) {
    Golden golden("vit-gpt2-nano");
    golden.generation["suppress_tokens"] = {783u};
    golden.generation["begin_suppress_tokens"] = {253u};
    golden.generation["forced_eos_token_id"] = 0u;
    golden.generation["max_length"] = 7u;
    for (uint32_t beams : {1u, 2u}) {
        golden.generation["num_beams"] = beams;
        Captioner captioner = make(golden, Type::f32);
        const Caption found = caption(captioner);
        EXPECT_NE(found.ids[1], 253u);
        EXPECT_EQ(std::ranges::count(found.ids, 783u), 0);
        EXPECT_EQ(found.ids.back(), 0u);
        if (found.ids.size() == 7) {
            EXPECT_NEAR(found.log_probs.back(), 0, 1e-4) << "no choice";
        }
    }
    // min_length suppresses the end token, which would come first.
    Golden least("vit-gpt2-nano");
    least.generation["eos_token_id"] = 253u;
    least.generation["min_length"] = 4u;
    Captioner captioner = make(least, Type::f32);
    const Caption found = caption(captioner);
    EXPECT_GE(found.ids.size(), 5u);
}

TEST_F(CaptionerTest, one_captioner_tells_pictures_apart_and_comes_back_to_the_first) {
    Captioner captioner = make(gpt2, Type::f32);
    captioner.use(as_long_as(13));
    const Caption cat = caption(captioner);
    PpmPicture grey = picture;
    std::ranges::fill(grey.rgb, uint8_t(128));
    frame.write(view(grey));
    const Caption nothing = caption(captioner);  // a picture of one colour
    EXPECT_EQ(nothing.ids.size(), 13u);
    for (float log : nothing.log_probs) EXPECT_TRUE(std::isfinite(log));
    EXPECT_NE(nothing.log_probs, cat.log_probs);
    frame.write(view(picture));
    EXPECT_EQ(caption(captioner).log_probs, cat.log_probs);
}

TEST_F(CaptionerTest, encoder_and_decoder_of_different_sizes_are_joined_by_a_projection) {
    Golden golden("vit-gpt2-nano");
    golden.config["encoder"]["hidden_size"] = 48u;
    SyntheticWeights weights(
        1, StoredType::f32, [](std::string_view name) { return name != "decoder.lm_head.weight"; });
    Captioner captioner(device, arena, {.config = golden.config, .where = "config.json"}, nullptr,
                        Preprocessor::read(golden.folder), weights, Type::f32);
    EXPECT_EQ(captioner.encoded().columns, 48u);
    EXPECT_EQ(caption(captioner).ids.size(), 20u) << "transformers' own length";
}

TEST_F(CaptionerTest, a_head_that_is_stored_counts_more_than_the_words) {
    Golden golden("vit-gpt2-nano");
    golden.manifest.tensors.push_back({"decoder.lm_head.weight", {800, 64}});
    Captioner captioner = make(golden, Type::f32);
    captioner.use(as_long_as(13));
    EXPECT_NE(caption(captioner).ids, golden.ids());
    for (const std::string& name : captioner.unused())
        EXPECT_TRUE(name.starts_with("encoder.pooler")) << name;
}

TEST_F(CaptionerTest, what_does_not_fit_together_gets_one_clear_line) {
    auto refusal = [&](const Golden& golden) { return error_of([&] { make(golden, Type::f32); }); };
    Golden other("vit-gpt2-nano");
    other.config["decoder"]["model_type"] = "bert";
    expect_says(refusal(other), "gpt2");
    other = Golden("vit-gpt2-nano");
    other.config["decoder"]["add_cross_attention"] = false;
    expect_says(refusal(other), "add_cross_attention");
    other = Golden("vit-gpt2-nano");
    other.config["encoder"]["image_size"] = 32u;
    expect_says(refusal(other), "position_embeddings");
    other = Golden("vit-gpt2-nano");
    other.generation["decoder_start_token_id"] = 800u;
    expect_says(refusal(other), "decoder_start_token_id");
    other = Golden("vit-gpt2-nano");
    other.config["model_type"] = "vit";
    expect_says(refusal(other), "is not a captioner");

    Captioner captioner = make(gpt2, Type::f32);
    expect_says(error_of([&] { captioner.use(as_long_as(65)); }), "64");
    expect_says(error_of([&] { captioner.use(as_long_as(1)); }), "no room");
    CaptionOptions prompt;
    prompt.prompt = "a picture of";
    expect_says(error_of([&] { captioner.use(prompt); }), "tokenizer");
}

}  // namespace
}  // namespace saccade
