// Tokens that are left out of a model, or hidden from its decoder.

#include <algorithm>
#include <cmath>

#include "gpu/transfer/download.h"
#include "models/knock_outs/class_trials.h"
#include "models/knock_outs/detection_trials.h"
#include "models/knock_outs/word_trials.h"
#include "models/text/tokenizer.h"
#include "tests/gpu_test.h"
#include "tests/models/golden.h"

namespace saccade {
namespace {

using Floats = std::vector<float>;

std::vector<uint32_t> cells_of(const Trials& trials) {
    std::vector<uint32_t> all(area(trials.grid()));
    for (uint32_t i = 0; i < all.size(); ++i) all[i] = i;
    return all;
}

class TokensTest : public GpuTest {
protected:
    // Runs a model on the golden picture.
    template <typename Record>
    void run_model(const GoldenFolder& golden, const Record& record) {
        Frame frame(device, golden.picture.width, golden.picture.height, false);
        frame.write(golden.view());
        begin();
        frame.record(commands);
        record(commands, frame.image());
        finish();
    }
    Floats logits_of(const GoldenFolder& golden, Classifier& classifier, Tap& tap) {
        run_model(golden,
                  [&](Commands& c, const Image& image) { classifier.record(c, image, tap); });
        return classifier.ranking().logits();
    }
    Caption caption_of(const GoldenFolder& golden, Captioner& captioner) {
        CaptionOptions options;
        options.beams = 1;
        options.max_new = 4;
        captioner.use(options);
        captioner.prepare(golden.size());
        run_model(golden, [&](Commands& c, const Image& image) { captioner.record(c, image); });
        captioner.start();
        captioner.advance(4);
        return captioner.result();
    }
    Captioner open_captioner(const GoldenFolder& golden) {
        return Captioner::open(device, arena, golden.folder.path(), no_tokenizer, Type::f32);
    }
};

TEST_F(TokensTest, leaving_no_token_out_changes_no_bit_and_all_can_be_left_out) {
    for (const auto& [name, type] : {std::pair{"vit-nano", Type::f16},
                                     {"deit-distilled", Type::f32},
                                     {"clip-nano", Type::f32},
                                     {"dinov2-nano", Type::f32}}) {
        SCOPED_TRACE(name);
        const GoldenFolder golden(name);
        Classifier classifier =
            Classifier::open(device, golden.folder.path(), type, {}, Tokenizer::open);
        if (classifier.phrases()) classifier.look_for({"a cat", "a dog"});
        classifier.prepare(golden.size());
        Tap tap;
        const Floats whole = logits_of(golden, classifier, tap);
        TokenChoice none(0);
        tap.leave_out(&none);
        EXPECT_EQ(logits_of(golden, classifier, tap), whole);
        ClassTrials trials(device, arena, classifier, 1, golden.view(),
                           {.instead = CellInstead::drop, .at_once = 1});
        const std::vector<KnockOut> all{{.cells = cells_of(trials)}};
        const double nothing = trials.run(all)[0].value;
        EXPECT_TRUE(std::isfinite(nothing));
        EXPECT_NE(nothing, double(whole[1]));
    }
}

// The stream after the embedding, row by row, without one of them, is what the rest of the model
// begins with.
TEST_F(TokensTest, leaving_one_out_is_running_the_model_on_the_others) {
    const GoldenFolder golden("vit-nano");
    Classifier classifier = Classifier::open(device, golden.folder.path(), Type::f32);
    classifier.prepare(golden.size());
    constexpr uint32_t cell = 9, token = 1 + cell, tokens = 17, columns = 64, id = 6;
    Tap tap({}, true);
    logits_of(golden, classifier, tap);
    const Floats z = run([&](Commands& c) {
        const Tensor copied = c.scratch(1, tokens, columns, Type::f32);
        c.copy_bytes(tap.hidden_states().at(0), copied);
        return copied;
    });
    Floats others(z);
    others.erase(others.begin() + token * columns, others.begin() + (token + 1) * columns);
    const Tensor stream = tensor(1, tokens - 1, columns, Type::f32, others);
    Tap nobody;
    const Floats want =
        run([&](Commands& c) { return classifier.model().logits_from(c, stream, 0, nobody); });
    ClassTrials trials(device, arena, classifier, id, golden.view(),
                       {.instead = CellInstead::drop, .at_once = 1});
    EXPECT_EQ(trials.grid(), Size(4, 4));
    const std::vector<KnockOut> some{{.cells = {3}}, {.cells = {cell}}};
    const std::vector<Reading> got = trials.run(some);
    EXPECT_EQ(got[1].value, double(want[id]));
    EXPECT_NE(got[0].value, got[1].value);
    EXPECT_NE(got[1].value, trials.whole().value);
    // In a batch each picture has its own list.
    ClassTrials together(device, arena, classifier, id, golden.view(),
                         {.instead = CellInstead::drop, .at_once = 2});
    const std::vector<Reading> both = together.run(some);
    for (size_t i = 0; i < both.size(); ++i) EXPECT_NEAR(both[i].value, got[i].value, 1e-4) << i;
}

TEST_F(TokensTest, runs_that_leave_different_numbers_out_come_back_in_their_order) {
    const GoldenFolder golden("yolos-mid");
    Detector detector = Detector::open(device, golden.folder.path(), Type::f32);
    detector.prepare(golden.size());
    DetectionTaps nobody;
    run_model(golden, [&](Commands& c, const Image& image) { detector.record(c, image, nobody); });
    const Detection target = detector.findings().detections({.threshold = 0.0f}).front();
    DetectionTrials trials(device, arena, detector, target, golden.view(),
                           {.instead = CellInstead::drop, .at_once = 2});
    const std::vector<KnockOut> all{{.cells = {0, 1, 2}}, {},
                                    {.cells = {4}},       {.cells = cells_of(trials)},
                                    {.cells = {5}},       {.cells = {7}, .heads = {{0, 1}}}};
    const std::vector<Reading> together = trials.run(all);
    for (size_t i = 0; i < all.size(); ++i)
        EXPECT_EQ(trials.run(std::span(all).subspan(i, 1))[0].value, together[i].value) << i;
    EXPECT_EQ(together[1].value, trials.whole().value);
    EXPECT_NE(together[3].value, together[1].value);
}

TEST_F(TokensTest, hidden_tokens_change_what_a_detectors_decoder_answers_and_not_the_encoder) {
    const GoldenFolder golden("detr-basic");
    Detector detector = Detector::open(device, golden.folder.path(), Type::f32);
    detector.prepare(golden.size());
    DetectionTaps taps;
    taps.encoder = Tap({}, true);
    const auto encoder_and_logits = [&] {
        run_model(golden,
                  [&](Commands& c, const Image& image) { detector.record(c, image, taps); });
        const Tensor last = taps.encoder.hidden_states().rbegin()->second;
        const Floats encoded = run([&](Commands& c) {
            const Tensor copied = c.scratch(1, last.rows, last.columns, Type::f32);
            c.copy_bytes(last, copied);
            return copied;
        });
        return std::pair(encoded, detector.findings().logits());
    };
    const auto whole = encoder_and_logits();
    TokenChoice none(0), some(3);
    taps.decoder.leave_out(&none);
    EXPECT_EQ(encoder_and_logits(), whole);
    taps.decoder.leave_out(&some);
    const auto hidden = encoder_and_logits();
    EXPECT_EQ(hidden.first, whole.first);
    EXPECT_NE(hidden.second, whole.second);

    const Detection target = detector.findings().detections({.threshold = 0.0f}).front();
    taps.decoder.leave_out(nullptr);
    DetectionTrials trials(device, arena, detector, target, golden.view(),
                           {.instead = CellInstead::hide, .at_once = 2});
    EXPECT_EQ(trials.grid(), detector.layout().grid) << "cells of tokens, not of pixels";
    // A decoder that sees nothing is one without cross-attention.
    std::vector<KnockOut> all{{}, {.cells = {1}}, {.cells = cells_of(trials)}, {}};
    const std::vector<uint32_t> heads = trials.heads();
    for (uint32_t layer = detector.model().encoder_layers(); layer < heads.size(); ++layer)
        for (uint32_t head = 0; head < heads[layer]; ++head) all[3].heads.push_back({layer, head});
    const std::vector<Reading> got = trials.run(all);
    EXPECT_NE(got[1].value, got[0].value);
    EXPECT_EQ(got[2].value, got[3].value);
    EXPECT_NE(got[2].value, got[0].value);
}

TEST_F(TokensTest, hidden_and_dropped_tokens_change_a_word) {
    for (const char* name : {"vit-gpt2-nano", "blip-nano", "hybrid-gpt2-nano"}) {
        SCOPED_TRACE(name);
        const GoldenFolder golden(name);
        Captioner captioner = open_captioner(golden);
        const Caption caption = caption_of(golden, captioner);
        ASSERT_GE(caption.words.size(), 2u);
        const CaptionWord& word = caption.words[1];
        WordTrials blank(device, arena, captioner, caption, word, golden.view(), {.at_once = 2});
        for (const CellInstead instead : {CellInstead::hide, CellInstead::drop}) {
            if (instead == CellInstead::drop && !captioner.model().leaves_tokens_out()) continue;
            WordTrials trials(device, arena, captioner, caption, word, golden.view(),
                              {.instead = instead, .at_once = 2});
            EXPECT_EQ(trials.whole().value, blank.whole().value);
            const std::vector<KnockOut> all{{.cells = {0}}, {.cells = cells_of(trials)}};
            const std::vector<Reading> got = trials.run(all);
            EXPECT_NE(got[0].value, trials.whole().value);
            EXPECT_NE(got[1].value, got[0].value);
        }
    }
}

TEST_F(TokensTest, models_in_which_it_has_no_meaning_say_so) {
    const auto refuses = [&](const auto& make, const char* what) {
        try {
            make();
            ADD_FAILURE() << "nothing was refused";
        } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find(what), std::string::npos) << error.what();
        }
    };
    const GoldenFolder swin("swin-nano");
    Classifier classifier = Classifier::open(device, swin.folder.path(), Type::f32);
    classifier.prepare(swin.size());
    for (const auto& [instead, what] :
         {std::pair{CellInstead::drop, "not a plain ViT"}, {CellInstead::hide, "decoder"}})
        refuses(
            [&] { ClassTrials(device, arena, classifier, 0, swin.view(), {.instead = instead}); },
            what);
    const GoldenFolder rt("rtdetr-nano");
    Detector detector = Detector::open(device, rt.folder.path(), Type::f32);
    detector.prepare(rt.size());
    refuses(
        [&] {
            DetectionTrials(device, arena, detector, {}, rt.view(), {.instead = CellInstead::hide});
        },
        "decoder");
}

}  // namespace
}  // namespace saccade
