#include "models/attention/knock_outs.h"

#include <functional>

#include "gpu/transfer/download.h"
#include "models/captioner.h"
#include "models/classifier.h"
#include "models/detector.h"
#include "tests/gpu_test.h"
#include "tests/models/files/zeroed_checkpoint.h"
#include "tests/models/golden.h"

namespace saccade {
namespace {

using Floats = std::vector<float>;

// Folders of golden cases with synthetic weights, and what their models say of the golden picture.
class KnockOutsTest : public GpuTest {
protected:
    struct Said {
        Floats output;
        std::vector<std::string> trace;
    };
    template <typename Record>
    Said run_model(const GoldenFolder& golden, const Record& record) {
        Frame frame(device, golden.picture.width, golden.picture.height, false);
        frame.write(golden.view());
        Commands c(device, arena, "knock-outs");
        use_kernels_of_this_round(c);
        c.keep_trace(true);
        c.begin();
        frame.record(c);
        const std::vector<Download> results = record(c, frame.image());
        c.end();
        run_before_();
        c.run();
        Said said{{}, c.trace()};
        for (const Download& result : results) {
            const Floats part = result.floats();
            said.output.insert(said.output.end(), part.begin(), part.end());
        }
        return said;
    }
    Said classify(const GoldenFolder& golden, KnockOuts* out, Type precision = Type::f32) {
        Classifier classifier = Classifier::open(device, golden.folder.path(), precision);
        classifier.prepare(golden.size());
        Tap tap;
        tap.knock_out(out);
        Said said = run_model(golden, [&](Commands& c, const Image& image) {
            classifier.record(c, image, tap);
            return std::vector<Download>();
        });
        said.output = classifier.ranking().logits();
        return said;
    }
    Said detect(const GoldenFolder& golden, KnockOuts* encoder, KnockOuts* decoder) {
        Detector detector = Detector::open(device, golden.folder.path(), Type::f32);
        detector.prepare(golden.size());
        DetectionTaps taps;
        taps.encoder.knock_out(encoder);
        taps.decoder.knock_out(decoder);
        Said said = run_model(golden, [&](Commands& c, const Image& image) {
            detector.record(c, image, taps);
            return std::vector<Download>();
        });
        said.output = detector.findings().logits();
        const Floats boxes = detector.findings().boxes();
        said.output.insert(said.output.end(), boxes.begin(), boxes.end());
        return said;
    }
    // What the decoder gets to see.
    Said encode(const GoldenFolder& golden, KnockOuts* out) {
        Captioner captioner =
            Captioner::open(device, arena, golden.folder.path(), no_tokenizer, Type::f32);
        captioner.prepare(golden.size());
        Tap tap;
        tap.knock_out(out);
        return run_model(golden, [&](Commands& c, const Image& image) {
            captioner.record(c, image, tap);
            std::vector<Download> encoded(1);
            encoded[0].record(c, captioner.encoded());
            return encoded;
        });
    }
    // A caption or an answer without some heads.
    struct Without {
        std::span<const HeadAt> off = {};  // of the decoder
        KnockOuts* encoder = nullptr;
        uint32_t beams = 1, words = 3;
    };
    Caption describe(const GoldenFolder& golden, const Without& without) {
        Captioner captioner =
            Captioner::open(device, arena, golden.folder.path(), no_tokenizer, Type::f32);
        if (captioner.model().answers())
            captioner.ask(golden.facts.at("prompt_ids").get<std::vector<uint32_t>>());
        CaptionOptions options;
        options.beams = without.beams;
        options.max_new = without.words;
        captioner.use(options);
        // Put back and switched off again, so that what was recorded first is forgotten.
        captioner.keep_off(without.off);
        captioner.keep_off({});
        captioner.keep_off(without.off);
        captioner.prepare(golden.size());
        Tap tap;
        tap.knock_out(without.encoder);
        run_model(golden, [&](Commands& c, const Image& image) {
            captioner.record(c, image, tap);
            return std::vector<Download>();
        });
        captioner.start();
        captioner.advance(without.words);
        return captioner.result();
    }
    // On a GPU a decoder is a chain of operations, which a head that is off interrupts: rounding
    // may differ.
    void expect_same(const Floats& got, const Floats& want) {
        if (device.is_cpu())
            EXPECT_EQ(got, want);
        else
            EXPECT_LT(relative_error(got, want), tolerance(Type::f32));
    }
    Floats numbers_of(const Caption& caption) {
        Floats numbers(caption.log_probs);
        numbers.insert(numbers.end(), caption.ids.begin(), caption.ids.end());
        return numbers;
    }
    // Called between the recording and the run.
    void then(std::function<void()> work) { run_before_ = std::move(work); }

private:
    std::function<void()> run_before_ = [] {};
};

// On a GPU a head's result is rounded before it is switched, which a fused kernel does not do.
TEST_F(KnockOutsTest, without_any_the_commands_are_the_same_and_with_all_on_every_bit_is) {
    const GoldenFolder golden("vit-nano");
    for (Type precision : {Type::f32, Type::f16}) {
        const Said alone = classify(golden, nullptr, precision);
        for (auto instead : {KnockOuts::Instead::zero, KnockOuts::Instead::mean}) {
            KnockOuts all_on(instead);
            const Said watched = classify(golden, &all_on, precision);
            if (device.is_cpu()) {
                EXPECT_EQ(watched.output, alone.output);
            } else {
                EXPECT_LT(relative_error(watched.output, alone.output), tolerance(precision));
            }
            EXPECT_GT(watched.trace.size(), alone.trace.size());
            EXPECT_EQ(all_on.heads(), (std::map<uint32_t, uint32_t>{{0, 4}, {1, 4}, {2, 4}}));
        }
        EXPECT_EQ(classify(golden, nullptr, precision).trace, alone.trace);
    }
}

// W x does not depend on x where W is zero.
TEST_F(KnockOutsTest, a_head_that_is_off_is_a_checkpoint_whose_columns_of_the_projection_are_zero) {
    struct Case {
        const char *model, *projection;
        uint32_t layer, head, width;
    };
    for (const Case& t :
         {Case{"vit-nano", "vit.encoder.layer.1.attention.output.dense.weight", 1, 2, 16},
          Case{"vit-nano", "vit.encoder.layer.2.attention.output.dense.weight", 2, 0, 16},
          Case{"deit-distilled", "deit.encoder.layer.0.attention.output.dense.weight", 0, 1, 24},
          Case{"swin-nano", "swin.encoder.layers.1.blocks.0.attention.output.dense.weight", 2, 1,
               16}}) {
        SCOPED_TRACE(t.model);
        const GoldenFolder golden(t.model);
        KnockOuts off;
        const Floats whole = classify(golden, nullptr).output;
        then([&] { off.switch_off(0, t.layer, t.head); });
        const Floats without = classify(golden, &off).output;
        EXPECT_NE(without, whole);
        then([] {});
        zero_columns(golden.folder.path(), t.projection, t.head * t.width, t.width);
        EXPECT_EQ(classify(golden, nullptr).output, without);
    }
}

TEST_F(KnockOutsTest, heads_of_detectors_and_captioners_switch_off_like_zeroed_columns) {
    {
        const GoldenFolder golden("yolos-nano");
        KnockOuts encoder;
        then([&] { encoder.switch_off(0, 0, 3); });
        const Floats without = detect(golden, &encoder, nullptr).output;
        then([] {});
        EXPECT_NE(detect(golden, nullptr, nullptr).output, without);
        zero_columns(golden.folder.path(), "vit.encoder.layer.0.attention.output.dense.weight", 48,
                     16);
        EXPECT_EQ(detect(golden, nullptr, nullptr).output, without);
    }
    {
        const GoldenFolder golden("detr-basic");
        KnockOuts encoder, decoder;
        then([&] {
            encoder.switch_off(0, 1, 1);
            decoder.switch_off(0, 0, 2);
        });
        const Floats without = detect(golden, &encoder, &decoder).output;
        then([] {});
        EXPECT_NE(detect(golden, nullptr, nullptr).output, without);
        zero_columns(golden.folder.path(), "model.encoder.layers.1.self_attn.out_proj.weight", 24,
                     24);
        zero_columns(golden.folder.path(), "model.decoder.layers.0.encoder_attn.out_proj.weight",
                     24, 12);
        EXPECT_EQ(detect(golden, nullptr, nullptr).output, without);
    }
    {
        const GoldenFolder golden("vit-gpt2-nano");
        KnockOuts encoder;
        then([&] { encoder.switch_off(0, 2, 1); });
        const Floats without = encode(golden, &encoder).output;
        then([] {});
        EXPECT_NE(encode(golden, nullptr).output, without);
        zero_columns(golden.folder.path(), "encoder.encoder.layer.2.attention.output.dense.weight",
                     16, 16);
        EXPECT_EQ(encode(golden, nullptr).output, without);
    }
}

// GPT-2's projections are stored as (in, out).
TEST_F(KnockOutsTest, a_head_of_a_text_decoder_that_is_off_is_a_projection_without_its_columns) {
    struct Case {
        const char *model, *projection;
        uint32_t layer, head, width, beams;
        bool transposed;
    };
    for (const Case& t :
         {Case{"vit-gpt2-nano", "decoder.transformer.h.1.attn.c_proj.weight", 2, 3, 16, 2, true},
          Case{"vit-gpt2-nano", "decoder.transformer.h.0.crossattention.c_proj.weight", 1, 2, 16, 1,
               true},
          Case{"blip-nano", "text_decoder.bert.encoder.layer.1.crossattention.output.dense.weight",
               3, 0, 16, 1, false},
          Case{"smolvlm-nano", "model.text_model.layers.1.self_attn.o_proj.weight", 1, 4, 8, 1,
               false}}) {
        SCOPED_TRACE(t.projection);
        const GoldenFolder golden(t.model);
        const auto say = [&](const std::vector<HeadAt>& off) {
            return numbers_of(describe(golden, {.off = off, .beams = t.beams}));
        };
        // One of these heads is there.
        const Floats without = say({{t.layer, t.head}, {9, 0}, {0, 99}});
        EXPECT_NE(without, say({}));
        const uint32_t first = t.head * t.width;
        zero_part(golden.folder.path(), t.projection,
                  t.transposed ? PartOfTensor{.first_row = first, .rows = t.width}
                               : PartOfTensor{.first_column = first, .columns = t.width});
        expect_same(say({}), without);
    }
}

// Written down once more in float64, after transformers' source: tests/golden/make_heads_off.py.
TEST_F(KnockOutsTest, heads_that_are_off_give_the_numbers_of_an_independent_implementation) {
    const auto expect = [](const Floats& got, const Json& want, const char* what) {
        EXPECT_LT(relative_error(got, want.get<Floats>()), 1e-4) << what;
    };
    const GoldenFolder vit("vit-nano");
    for (const Json& one : read_json(vit.golden / "heads-off.json")) {
        KnockOuts off;
        then([&] { off.switch_off(0, one["off"][0], one["off"][1]); });
        expect(classify(vit, &off).output, one["logits"], "ViT");
    }
    const GoldenFolder detr("detr-nano");
    const auto encoders = read_json(detr.folder.path() / "config.json")["encoder_layers"];
    for (const Json& one : read_json(detr.golden / "heads-off.json")) {
        KnockOuts encoder, decoder;
        const uint32_t layer = one["off"][0], head = one["off"][1], first = encoders;
        then([&] {
            layer < first ? encoder.switch_off(0, layer, head)
                          : decoder.switch_off(0, layer - first, head);
        });
        const Floats got = detect(detr, &encoder, &decoder).output;
        const auto end_of_logits = got.begin() + std::ptrdiff_t(one["logits"].size());
        expect({got.begin(), end_of_logits}, one["logits"], "DETR's logits");
        expect({end_of_logits, got.end()}, one["boxes"], "DETR's boxes");
    }
    const GoldenFolder captioner("vit-gpt2-nano");
    for (const Json& one : read_json(captioner.golden / "heads-off.json")) {
        const uint32_t layer = one["off"][0], head = one["off"][1], encoder_layers = 3;
        KnockOuts encoder;
        std::vector<HeadAt> decoder;
        if (layer >= encoder_layers) decoder.push_back({layer - encoder_layers, head});
        then([&] {
            if (layer < encoder_layers) encoder.switch_off(0, layer, head);
        });
        const auto said = describe(captioner, {.off = decoder, .encoder = &encoder, .words = 6});
        EXPECT_EQ(said.ids, one["ids"].get<std::vector<uint32_t>>());
        const Floats logs(said.log_probs.begin() + 1, said.log_probs.end());
        expect(logs, one["log_probs"], "a captioner's words");
    }
}

TEST_F(KnockOutsTest, a_block_that_is_skipped_is_a_checkpoint_in_which_it_adds_nothing) {
    for (const uint32_t layer : {1u, 2u})
        for (const bool mlp : {false, true}) {
            const GoldenFolder golden("vit-nano");
            KnockOuts out;
            mlp ? out.skip_mlp(layer) : out.skip_attention(layer);
            const Floats without = classify(golden, &out).output;
            EXPECT_NE(classify(golden, nullptr).output, without);
            const std::string block = "vit.encoder.layer." + std::to_string(layer) +
                                      (mlp ? ".output.dense." : ".attention.output.dense.");
            zero_columns(golden.folder.path(), block + "weight");
            zero_columns(golden.folder.path(), block + "bias");
            EXPECT_EQ(classify(golden, nullptr).output, without) << block;
        }
}

TEST_F(KnockOutsTest, each_picture_of_a_batch_has_its_own_heads_off_by_zero_or_by_the_mean) {
    constexpr uint32_t batch = 3, rows = 5, heads = 2, width = 16;
    for (Type type : {Type::f32, Type::f16})
        for (auto instead : {KnockOuts::Instead::zero, KnockOuts::Instead::mean}) {
            const Floats x = random(size_t(batch) * rows * heads * width, type);
            const Tensor tx = tensor(batch, rows, heads * width, type, x);
            KnockOuts out(instead);
            run([&](Commands& c) { return out.without(c, 4, tx, {heads}); });  // makes the switches
            const auto y = run([&](Commands& c) {
                const Tensor result = out.without(c, 4, tx, {heads});
                out.switch_off(1, 4, 0);
                out.switch_off(2, 4, 1);
                return result;
            });
            for (uint32_t b = 0; b < batch; ++b)
                for (uint32_t row = 0; row < rows; ++row)
                    for (uint32_t k = 0; k < heads * width; ++k) {
                        const auto at = [&](uint32_t r) {
                            return x[(size_t(b) * rows + r) * heads * width + k];
                        };
                        float mean = 0;
                        for (uint32_t r = 0; r < rows; ++r) mean += at(r) / rows;
                        const bool off = (b == 1 && k < width) || (b == 2 && k >= width);
                        const float gone = instead == KnockOuts::Instead::mean ? mean : 0;
                        ASSERT_NEAR(y[(size_t(b) * rows + row) * heads * width + k],
                                    off ? gone : at(row), off ? tolerance(type) : 0);
                    }
            EXPECT_THROW(out.switch_off(0, 3, 0), Error);
            EXPECT_THROW(out.switch_off(0, 4, heads), Error);
            EXPECT_THROW(out.switch_off(batch, 4, 0), Error);
        }
}

}  // namespace
}  // namespace saccade
