#include "models/captioning/generation.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/models/files/temp_folder.h"

namespace saccade {
namespace {

using Ids = std::vector<uint32_t>;

Generation read(std::string_view config, std::string_view file = "") {
    const Json json = parse_json(config, "config.json");
    const Json generation = file.empty() ? Json() : parse_json(file, "generation_config.json");
    return read_generation(json, "config.json", file.empty() ? nullptr : &generation,
                           "generation_config.json", 100);
}
constexpr std::string_view bare = R"({"decoder":{},"decoder_start_token_id":7})";

TEST(GenerationTest, missing_fields_take_the_defaults_of_transformers) {
    const Generation g = read(bare);
    EXPECT_EQ(g.start, 7u);
    EXPECT_EQ(g.max_length, 20u);
    EXPECT_EQ(g.beams, 1u);
    EXPECT_EQ(g.length_penalty, 1.0);
    EXPECT_EQ(g.repetition_penalty, 1.0);
    EXPECT_EQ(g.early_stopping, Generation::EarlyStopping::no);
    EXPECT_EQ(g.no_repeat, 0u);
    EXPECT_TRUE(g.stops.empty());
    EXPECT_FALSE(g.forced_first || g.forced_last);
}

TEST(GenerationTest, its_own_file_counts_most_then_the_config_then_the_decoder) {
    const std::string_view config =
        R"({"decoder":{"max_length":5,"num_beams":2,"bos_token_id":1},"max_length":6,
            "eos_token_id":3})";
    Generation g = read(config, R"({"max_length":8,"eos_token_id":[4,5]})");
    EXPECT_EQ(g.max_length, 8u);
    EXPECT_EQ(g.beams, 2u);
    EXPECT_EQ(g.start, 1u) << "bos where there is no decoder_start_token_id";
    EXPECT_EQ(g.stops, (Ids{4, 5}));
    EXPECT_TRUE(g.ends(5) && !g.ends(3));
    g = read(config);
    EXPECT_EQ(g.max_length, 6u);
    EXPECT_EQ(g.stops, Ids{3});
}

TEST(GenerationTest, reads_every_rule) {
    const Generation g = read(bare, R"({"max_new_tokens":30,"min_length":3,"length_penalty":-0.5,
        "early_stopping":"never","repetition_penalty":1.5,"no_repeat_ngram_size":3,
        "suppress_tokens":[1,2],"begin_suppress_tokens":[9],"forced_bos_token_id":4,
        "forced_eos_token_id":[5]})");
    EXPECT_EQ(g.max_length, 31u);
    EXPECT_EQ(g.min_length, 3u);
    EXPECT_EQ(g.length_penalty, -0.5);
    EXPECT_EQ(g.early_stopping, Generation::EarlyStopping::never);
    EXPECT_EQ(g.repetition_penalty, 1.5);
    EXPECT_EQ(g.no_repeat, 3u);
    EXPECT_EQ(g.suppressed, (Ids{1, 2}));
    EXPECT_EQ(g.first_suppressed, Ids{9});
    EXPECT_EQ(g.forced_first, 4u);
    EXPECT_EQ(g.forced_last, 5u);
}

TEST(GenerationTest, blip_looks_into_its_text_config_and_stops_at_sep) {
    const Json json = parse_json(
        R"({"text_config":{"bos_token_id":1,"eos_token_id":2,"sep_token_id":3,"max_length":9}})",
        "config.json");
    const Generation g = read_blip_generation(json, "config.json", 100);
    EXPECT_EQ(g.start, 1u);
    EXPECT_EQ(g.stops, Ids{3});
    EXPECT_EQ(g.max_length, 9u);
    const Json bare_blip = parse_json(R"({"text_config":{}})", "config.json");
    const Generation defaults = read_blip_generation(bare_blip, "config.json", 30524);
    EXPECT_EQ(defaults.start, 30522u);
    EXPECT_EQ(defaults.stops, Ids{102});
}

TEST(GenerationTest, bad_words_are_never_said_unless_they_end_a_sentence) {
    const Generation g =
        read(bare, R"({"eos_token_id":6,"suppress_tokens":[1],"bad_words_ids":[[5],[6],[99]]})");
    EXPECT_EQ(g.suppressed, (Ids{1, 5, 99}));
    EXPECT_TRUE(read(bare, R"({"bad_words_ids":null,"force_words_ids":null})").suppressed.empty());
    const Json blip = parse_json(R"({"text_config":{"bad_words_ids":[[8]]}})", "config.json");
    EXPECT_EQ(read_blip_generation(blip, "config.json", 30524).suppressed, Ids{8});
}

TEST(GenerationTest, what_cannot_be_is_refused_with_its_file_and_field) {
    auto refused = [](std::string_view file, std::string_view part) {
        const std::string error = error_of([&] { read(bare, file); });
        expect_says(error, part);
        expect_says(error, "generation_config.json");
    };
    refused(R"({"eos_token_id":100})", "eos_token_id");
    refused(R"({"eos_token_id":[1,-1]})", "eos_token_id");
    refused(R"({"suppress_tokens":"all"})", "suppress_tokens");
    refused(R"({"num_beams":0})", "num_beams");
    refused(R"({"bad_words_ids":[[5],[6,7]]})", "bad_words_ids has a word that is not one id");
    refused(R"({"bad_words_ids":[[100]]})", "bad_words_ids");
    refused(R"({"bad_words_ids":5})", "bad_words_ids");
    refused(R"({"sequence_bias":[[[5],-1.0]]})", "sequence_bias is set");
    refused(R"({"max_length":1})", "max_length");
    refused(R"({"early_stopping":"soon"})", "early_stopping");
    expect_says(error_of([] { read(R"({"decoder":{}})"); }), "decoder_start_token_id");
}

}  // namespace
}  // namespace saccade
