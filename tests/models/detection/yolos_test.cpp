#include "models/detection/yolos.h"

#include "tests/models/detection/detection_fixture.h"

namespace saccade {
namespace {

class YolosTest : public DetectionTest {};
class YolosParity : public YolosTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(YolosParity, every_tensor_is_what_transformers_computes) {
    const Golden golden(GetParam());
    for (Type precision : {Type::f32, Type::f16}) {
        SCOPED_TRACE(name_of(precision));
        const double tolerance = precision == Type::f32 ? 1e-4 : 1e-2;
        Detector detector = make(golden, precision);
        DetectionTaps taps = look_at_all(detector);
        detect(detector, golden.picture(), taps);
        EXPECT_LT(relative_error(detector.findings().logits(), golden["logits"]), tolerance);
        EXPECT_LT(relative_error(detector.findings().boxes(), golden["boxes"]), tolerance);
        expect_detections(detector, golden, tolerance);
        const Tensor& seen = taps.decoder.hidden_states().at(0);
        EXPECT_LT(relative_error(run([&](Commands& c) {
                                     const Tensor y = c.scratch(1, 8, seen.columns, Type::f32);
                                     copy(c, y, seen.slice_rows(0, 8));
                                     return y;
                                 }),
                                 golden["last_detection_tokens"]),
                  tolerance);

        std::vector<uint32_t> rows = golden.best();
        for (uint32_t& row : rows) row += detector.layout().first_query;
        EXPECT_LT(relative_error(rows_of(taps.encoder, detector.model().encoder_layers() - 1, rows),
                                 golden["attention_top5"]),
                  tolerance);
    }
}

INSTANTIATE_TEST_SUITE_P(Golden, YolosParity, ::testing::Values("yolos-nano", "yolos-mid"));

TEST_F(YolosTest, looking_changes_no_bit_of_the_answer) {
    const Golden golden("yolos-mid");
    for (Type precision : {Type::f32, Type::f16}) {
        Detector detector = make(golden, precision);
        const auto trace = detect(detector, golden.picture());
        const Floats logits = detector.findings().logits(), boxes = detector.findings().boxes();
        DetectionTaps taps = look_at_all(detector);
        EXPECT_GT(detect(detector, golden.picture(), taps).size(), trace.size());
        EXPECT_EQ(detector.findings().logits(), logits);
        EXPECT_EQ(detector.findings().boxes(), boxes);
        EXPECT_EQ(detect(detector, golden.picture()), trace) << "without a tap, the same commands";
    }
}

TEST_F(YolosTest, answers_after_a_layer_are_those_of_a_model_that_ends_there) {
    Golden golden("yolos-nano");
    Detector whole = make(golden, Type::f32);
    DetectionTaps taps;
    taps.parts = Parts(true);
    detect(whole, golden.picture(), taps);
    const std::string last = std::to_string(whole.model().encoder_layers() - 1);
    EXPECT_LT(
        relative_error(floats_of(taps.parts["layer_boxes_" + last].x), whole.findings().boxes()),
        1e-6);
    const Floats boxes = floats_of(taps.parts["layer_boxes_0"].x);
    const Floats logits = floats_of(taps.parts["layer_logits_0"].x);

    golden.config["num_hidden_layers"] = 1;
    Detector shorter = make(golden, Type::f32);
    detect(shorter, golden.picture());
    EXPECT_LT(relative_error(boxes, shorter.findings().boxes()), 1e-5);
    EXPECT_LT(relative_error(logits, shorter.findings().logits()), 1e-5);
}

TEST_F(YolosTest, positions_after_every_block_matter) {
    const Golden golden("yolos-mid");
    Detector with = make(golden, Type::f32);
    detect(with, golden.picture());
    Json config = golden.config;
    config["use_mid_position_embeddings"] = false;
    SyntheticWeights weights(golden.manifest);
    Detector without(device, config, "config.json", Preprocessor::read(golden.folder), weights,
                     Type::f32);
    detect(without, golden.picture());
    EXPECT_GT(relative_error(without.findings().logits(), with.findings().logits()), 1e-3);
    EXPECT_EQ(without.unused(), std::vector<std::string>{"vit.encoder.mid_position_embeddings"});
}

TEST_F(YolosTest, a_batch_gives_what_its_pictures_give_alone) {
    const Golden golden("yolos-mid");
    Detector detector = make(golden, Type::f32);
    detector.prepare({160, 120});
    const uint32_t patches = detector.input().patches(), columns = detector.input().patch_columns();
    const size_t count = size_t(patches) * columns;
    const Floats pixels = random(2 * count);
    DetectionTaps nobody;
    const Floats together = run([&](Commands& c) {
        return detector.forward(c, tensor(2, patches, columns, Type::f32, pixels), nobody).logits;
    });
    for (size_t i = 0; i < 2; ++i) {
        const Floats alone = run([&](Commands& c) {
            const auto one = std::span(pixels).subspan(i * count, count);
            return detector.forward(c, tensor(1, patches, columns, Type::f32, one), nobody).logits;
        });
        EXPECT_LT(
            relative_error(std::span(together).subspan(i * alone.size(), alone.size()), alone),
            1e-6);
    }
}

YolosConfig yolos(std::string_view fields) {
    return read_yolos_config(
        parse_json(R"({"model_type":"yolos")" + std::string(fields) + "}", "config.json"),
        "config.json");
}

TEST(YolosConfigTest, missing_fields_take_the_defaults_of_transformers) {
    const YolosConfig config = yolos("");
    EXPECT_EQ(config.hidden, 768u);
    EXPECT_EQ(config.grid, (Size{54, 32}));
    EXPECT_EQ(config.detection_tokens, 100u);
    EXPECT_EQ(config.tokens(), 1829u);
    EXPECT_TRUE(config.mid_positions);
    EXPECT_EQ(config.norm_eps, 1e-12f);
    EXPECT_EQ(yolos(R"(,"image_size":[800,1333],"use_mid_position_embeddings":false)").tokens(),
              4251u)
        << "as many patches as fit";
}

TEST(YolosConfigTest, what_is_not_supported_is_named) {
    expect_says(error_of([] { yolos(R"(,"hidden_act":"softsign")"); }), "softsign");
    expect_says(error_of([] { yolos(R"(,"num_channels":4)"); }), "num_channels");
    expect_says(error_of([] { yolos(R"(,"num_attention_heads":7)"); }), "num_attention_heads");
    expect_says(error_of([] { yolos(R"(,"patch_size":1000)"); }), "patch_size");
    expect_says(error_of([] { yolos(R"(,"architectures":["YolosModel"])"); }), "YolosModel");
}

}  // namespace
}  // namespace saccade
