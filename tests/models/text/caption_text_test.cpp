#include "models/captioner.h"

#include <cmath>

#include "tests/models/caption_fixture.h"

// Captions as text. These tests are apart from the other tests of captioners because a build
// without the tokenizers' library, as on a bare GPU machine, leaves them out.

namespace saccade {
namespace {

std::unique_ptr<Tokenizer> tokenizer_of(const std::string& name) {
    return Tokenizer::open(golden_folder() / "tokenizers" / name);
}

std::unique_ptr<Tokenizer> nano_tokenizer() { return tokenizer_of("gpt2-nano"); }

class CaptionText : public CaptionTest {
protected:
    const Golden gpt2{"vit-gpt2-nano"};
};

TEST_F(CaptionText, text_words_and_probabilities_belong_together) {
    Captioner captioner = make(gpt2, Type::f32, nano_tokenizer());
    captioner.use(as_long_as(13));
    const Caption found = caption(captioner);
    EXPECT_EQ(found.text, gpt2.info["text"].get<std::string>());
    ASSERT_FALSE(found.words.empty());
    size_t covered = 0;
    for (const CaptionWord& word : found.words) {
        double p = 1;
        for (size_t i = word.first; i < word.first + word.count; ++i)
            p *= std::exp(double(found.log_probs[i]));
        EXPECT_NEAR(word.p, p, 1e-6);
        EXPECT_GT(word.p, 0);
        EXPECT_LE(word.p, 1);
        covered += word.count;
    }
    EXPECT_EQ(covered, 12u) << "all but the start token";
}

TEST_F(CaptionText, four_beams_write_the_sentence_that_transformers_writes) {
    Captioner captioner = make(gpt2, Type::f32, nano_tokenizer());
    CaptionOptions options = as_long_as(13);
    options.beams = 4;
    captioner.use(options);
    EXPECT_EQ(caption(captioner).text, gpt2.info["beam4_text"].get<std::string>());
}

TEST_F(CaptionText, a_prompt_opens_the_caption_and_is_none_of_its_words) {
    Captioner captioner = make(gpt2, Type::f32, nano_tokenizer());
    CaptionOptions options = as_long_as(12);
    options.prompt = "the software";
    captioner.use(options);
    const Caption found = caption(captioner);
    EXPECT_TRUE(found.text.starts_with("the software")) << found.text;
    const Ids prompt = nano_tokenizer()->encode(options.prompt, false);
    EXPECT_TRUE(std::equal(prompt.begin(), prompt.end(), found.ids.begin() + 1));
    for (const CaptionWord& word : found.words) EXPECT_GT(word.first, prompt.size());
}

TEST_F(CaptionText, a_tokenizer_of_another_model_is_refused_in_one_clear_line) {
    auto refusal = [&](const Golden& golden, const std::string& tokenizer) {
        return error_of([&] { make(golden, Type::f32, tokenizer_of(tokenizer)); });
    };
    // 269 tokens for a model of 800 words, and 800 for one of 600.
    expect_says(refusal(gpt2, "wordpiece-uncased"), "config.json");
    expect_says(refusal(Golden("blip-nano"), "gpt2-nano"), "config.json");
}

}  // namespace
}  // namespace saccade
