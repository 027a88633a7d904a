#include "tests/models/caption_fixture.h"

namespace saccade {
namespace {

// Beams that are chosen on the device are the same as those that the host chooses.
class BeamsTest : public CaptionTest, public ::testing::WithParamInterface<const char*> {
protected:
    void SetUp() override {
        if (!device.features().chains || !device.features().float64)
            GTEST_SKIP() << "this device leaves the choice to the host";
    }
    struct Said {
        Caption caption;
        uint32_t dispatches = 0;
    };
    Said said_on(Device& on, const Golden& golden, Type precision, const CaptionOptions& options,
                 uint32_t words_at_once = UINT32_MAX) {
        Arena scratch(on, "captions");
        SyntheticWeights weights(golden.manifest);
        Captioner captioner(on, scratch,
                            {.config = golden.config,
                             .where = "config.json",
                             .generation = &golden.generation,
                             .generation_where = "generation_config.json"},
                            nullptr, Preprocessor::read(golden.folder), weights, precision);
        captioner.prepare({picture.width, picture.height});
        captioner.use(options);
        Frame seen(on, picture.width, picture.height, false);
        seen.write(view(picture));
        Commands c(on, scratch, "see");
        c.begin();
        seen.record(c);
        captioner.record(c, seen.image());
        c.end();
        c.run();
        captioner.start();
        Caption caption;
        do {
            captioner.advance(words_at_once);
            caption = captioner.result();
        } while (!captioner.finished());
        return {std::move(caption), captioner.counts().dispatches};
    }
    Device& without_chains() {
        if (!without_)
            without_ = std::make_unique<Device>(
                device.instance(), device.info(),
                Device::Options{.chains = false, .extensions = {}, .pipeline_cache = {}});
        return *without_;
    }

private:
    std::unique_ptr<Device> without_;
};

// Norms differ in their rounding; the choice itself is the same to the bit, see ChooseBeamsTest.
TEST_P(BeamsTest, chosen_on_the_device_are_those_that_the_host_chooses) {
    struct Case {
        uint32_t beams;
        double length_penalty;
        uint32_t no_repeat;
        const char* more;  // of generation_config.json
    };
    const Case cases[] = {{2, 1.0, 0, R"({})"},
                          {3, -2.0, 2, R"({"early_stopping": true})"},
                          {4, 1.0, 0, R"({"early_stopping": "never", "repetition_penalty": 1.3})"},
                          {3, 0.5, 0, R"({"forced_bos_token_id": 5, "forced_eos_token_id": 3})"}};
    for (const Case& of : cases) {
        Golden golden(GetParam());
        golden.generation.update(Json::parse(of.more));
        golden.generation["eos_token_id"] = {golden.ids()[3], golden.ids()[5]};
        CaptionOptions options = as_long_as(9);
        options.beams = of.beams;
        options.length_penalty = of.length_penalty;
        options.no_repeat = of.no_repeat;
        const Caption by_host = said_on(without_chains(), golden, Type::f32, options).caption;
        for (uint32_t words : {UINT32_MAX, 2u}) {
            const Caption found = said_on(device, golden, Type::f32, options, words).caption;
            EXPECT_EQ(found.ids, by_host.ids) << of.beams << " beams " << of.more;
            EXPECT_LT(relative_error(found.log_probs, by_host.log_probs), 1e-5)
                << of.beams << of.more;
            EXPECT_NEAR(found.score, by_host.score, 1e-4) << of.beams << " beams " << of.more;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(All, BeamsTest,
                         ::testing::Values("vit-gpt2-odd", "blip-nano", "show-attend-tell-nano"));

class ChainedBeams : public BeamsTest {};

TEST_P(ChainedBeams, are_rows_of_one_chain_and_say_the_same) {
    const Golden golden(GetParam());
    constexpr uint32_t words = 8;
    CaptionOptions options = as_long_as(words);
    options.beams = 3;
    const Said chained = said_on(device, golden, Type::f16, options);
    const Said alone = said_on(without_chains(), golden, Type::f16, options);
    EXPECT_EQ(chained.caption.ids, alone.caption.ids);
    EXPECT_LT(relative_error(chained.caption.log_probs, alone.caption.log_probs), 1e-2);
    // Dispatches of a step: copy of the KV cache, a chain, the candidates, the choice. The first
    // step has one beam and no copy, the last has no choice.
    EXPECT_LE(chained.dispatches, (words - 1) * 4 + 1);
}

INSTANTIATE_TEST_SUITE_P(All, ChainedBeams, ::testing::Values("vit-gpt2-nano", "blip-nano"));

}  // namespace
}  // namespace saccade
