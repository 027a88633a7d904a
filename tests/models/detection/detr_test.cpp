#include "models/detection/detr.h"

#include "tests/models/detection/detection_fixture.h"

namespace saccade {
namespace {

class DetrTest : public DetectionTest {
protected:
    void expect_parity(const Golden& golden, Type precision, double tolerance) {
        SCOPED_TRACE(name_of(precision));
        Detector detector = make(golden, precision);
        DetectionTaps taps = look_at_all(detector);
        detect(detector, golden.picture(), taps);
        EXPECT_LT(relative_error(detector.findings().logits(), golden["logits"]), tolerance);
        EXPECT_LT(relative_error(detector.findings().boxes(), golden["boxes"]), tolerance);
        expect_detections(detector, golden, tolerance);

        const uint32_t encoder = detector.model().encoder_layers();
        const uint32_t decoder = detector.model().decoder_layers();
        const uint32_t width = detector.layout().grid.x, height = detector.layout().grid.y;
        EXPECT_EQ((std::vector<uint32_t>{height, width}),
                  golden.info["feature"].get<std::vector<uint32_t>>());
        const Tensor& memory = taps.encoder.hidden_states().at(encoder);
        Floats every;
        for (uint32_t i = 0; i < memory.rows; i += std::max(1u, memory.rows / 16)) {
            const Floats row = rows(memory, i, 1);
            every.insert(every.end(), row.begin(), row.end());
        }
        EXPECT_LT(relative_error(every, golden["encoder_last"]), tolerance);
        EXPECT_LT(
            relative_error(rows(taps.decoder.hidden_states().at(0), 0, 8), golden["decoder_last"]),
            tolerance);
        EXPECT_LT(relative_error(rows_of(taps.decoder, decoder - 1, golden.best()),
                                 golden["cross_attention_top5"]),
                  tolerance);
        Floats heads;
        for (uint32_t head = 0; head < taps.decoder.layer(decoder - 1).heads.count; ++head) {
            const Floats row = rows_of(taps.decoder, decoder - 1, {0}, head);
            heads.insert(heads.end(), row.begin(), row.end());
        }
        EXPECT_LT(relative_error(heads, golden["cross_attention_heads_q0"]), tolerance);
        EXPECT_LT(
            relative_error(rows_of(taps.encoder, encoder - 1, {height / 2 * width + width / 2}),
                           golden["encoder_attention_center"]),
            tolerance);
    }
    Floats rows(const Tensor& kept, uint32_t first, uint32_t count) {
        return run([&](Commands& c) {
            const Tensor y = c.scratch(1, count, kept.columns, Type::f32);
            copy(c, y, kept.slice_rows(first, count));
            return y;
        });
    }
};
class DetrParity : public DetrTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(DetrParity, every_tensor_is_what_transformers_computes) {
    expect_parity(Golden(GetParam()), Type::f32, 1e-4);
}

TEST_P(DetrParity, half_precision_comes_close) {
    expect_parity(Golden(GetParam()), Type::f16, 1e-2);
}

INSTANTIATE_TEST_SUITE_P(Golden, DetrParity,
                         ::testing::Values("detr-nano", "detr-thin", "detr-basic", "detr-dc5",
                                           "detr-dc5-basic"));

// Weights with small features, like trained ones.
class SmallFeatures : public SyntheticWeights {
public:
    using SyntheticWeights::SyntheticWeights;
    std::optional<StoredTensor> find(std::string_view name,
                                     std::span<const uint64_t> shape) override {
        std::optional<StoredTensor> tensor = SyntheticWeights::find(name, shape);
        if (tensor && name == "model.input_projection.weight") {
            zeros_.assign(tensor->bytes.size(), std::byte{0});
            tensor->bytes = zeros_;
        }
        return tensor;
    }
    void release(std::span<const std::byte>) override {}

private:
    std::vector<std::byte> zeros_;
};

// On untrained weights, the features of deep backbones grow into the thousands. The first attention
// is then nearly one-hot, and half precision may choose another key where two scores are close.
TEST_F(DetrTest, a_backbone_that_outgrows_half_precision_runs_in_fp32) {
    const Golden golden("detr-thin");
    EXPECT_EQ(make(golden, Type::f16).input_type(), Type::f32);
    SmallFeatures weights(golden.manifest);
    const Detector small =
        Detector::with_suitable_front(device, golden.config, "config.json",
                                      Preprocessor::read(golden.folder), weights, Type::f16);
    EXPECT_EQ(small.input_type(), Type::f16);
}

TEST_F(DetrTest, looking_changes_no_bit_of_the_answer) {
    const Golden golden("detr-thin");
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

TEST_F(DetrTest, a_batch_gives_what_its_pictures_give_alone) {
    const Golden golden("detr-basic");
    Detector detector = make(golden, Type::f32);
    detector.prepare({160, 120});
    const uint32_t pixels = detector.input().patches();
    const size_t count = size_t(pixels) * 3;
    const Floats values = random(2 * count);
    DetectionTaps nobody;
    const Floats together = run([&](Commands& c) {
        return detector.forward(c, tensor(2, pixels, 3, Type::f32, values), nobody).logits;
    });
    for (size_t i = 0; i < 2; ++i) {
        const Floats alone = run([&](Commands& c) {
            const auto one = std::span(values).subspan(i * count, count);
            return detector.forward(c, tensor(1, pixels, 3, Type::f32, one), nobody).logits;
        });
        EXPECT_LT(
            relative_error(std::span(together).subspan(i * alone.size(), alone.size()), alone),
            1e-5);
    }
}

// Every barrier drains the whole device.
TEST_F(DetrTest, waits_no_more_often_than_a_chain_of_products_must) {
    const Golden golden("detr-thin");
    struct Precision {
        Type rest, front;
    };
    auto barriers = [&](uint32_t encoder, uint32_t decoder, Precision precision) {
        Json config = golden.config;
        config["encoder_layers"] = encoder;
        config["decoder_layers"] = decoder;
        SyntheticWeights weights(1, StoredType::f32);
        Detector detector(device, config, "config.json", Preprocessor::read(golden.folder), weights,
                          precision.rest, {.front = precision.front});
        detector.prepare({64, 48});
        Commands c(device, arena, "barriers");
        use_kernels_of_this_round(c);
        DetectionTaps nobody;
        c.begin();
        detector.forward(c, poisoned(1, detector.input().patches(), 3, precision.front), nobody);
        c.end();
        return c.counts().barriers;
    };
    for (const Precision p :
         {Precision{Type::f32, Type::f32}, {Type::f16, Type::f16}, {Type::f16, Type::f32}}) {
        SCOPED_TRACE(std::string(name_of(p.front)) + ", then " + name_of(p.rest));
        const uint32_t least = barriers(1, 1, p);
        // q k v, attention, out, norm, fc1, fc2, norm
        EXPECT_EQ(barriers(2, 1, p) - least, 7u);
        // The same, and q, attention, out, norm between them
        EXPECT_EQ(barriers(1, 2, p) - least, 11u);
        // After the stem: its pool, six blocks of three convolutions, the projection, its copies; a
        // layer each, the decoder's without self-attention; a norm, the box head.
        EXPECT_EQ(least, 1u + 6 * 3 + 2 + 7 + 7 + 1 + 3);
    }
}

DetrConfig detr(std::string_view fields) {
    return read_detr_config(
        parse_json(R"({"model_type":"detr")" + std::string(fields) + "}", "config.json"),
        "config.json");
}

TEST(DetrConfigTest, missing_fields_take_the_defaults_of_transformers) {
    const DetrConfig config = detr("");
    EXPECT_EQ(config.hidden, 256u);
    EXPECT_EQ(config.queries, 100u);
    EXPECT_EQ(config.encoder_layers, 6u);
    EXPECT_EQ(config.decoder_intermediate, 2048u);
    EXPECT_EQ(config.activation, Activation::relu);
    EXPECT_EQ(config.backbone.names, ResNetConfig::Names::timm);
    EXPECT_EQ(config.backbone.channels(), 2048u);
    EXPECT_EQ(config.backbone.output_stride, 32u);
}

TEST(DetrConfigTest, v4_and_v5_say_the_same_in_other_words) {
    const DetrConfig old =
        detr(R"(,"backbone":"resnet101","use_timm_backbone":true,"dilation":true)");
    EXPECT_EQ(old.backbone.stages[2].blocks, 23u);
    EXPECT_EQ(old.backbone.output_stride, 16u);
    const DetrConfig between = detr(
        R"(,"backbone":"resnet101","backbone_kwargs":{"output_stride":16,"out_indices":[1,2,3,4]})");
    EXPECT_EQ(between.backbone.output_stride, 16u);
    const DetrConfig fresh = detr(R"(,"backbone_config":{"model_type":"timm_backbone",
        "backbone":"resnet101","out_indices":[1,2,3,4],"output_stride":16})");
    EXPECT_EQ(fresh.backbone.stages[2].blocks, 23u);
    EXPECT_EQ(fresh.backbone.output_stride, 16u);
    EXPECT_EQ(detr(R"(,"backbone":"resnet18")").backbone.channels(), 512u);
    EXPECT_EQ(detr(R"(,"backbone":"resnet50.a1_in1k")").backbone.channels(), 2048u);
}

TEST(DetrConfigTest, transformers_own_resnet_is_read_with_its_defaults) {
    const ResNetConfig plain = detr(R"(,"backbone_config":{"model_type":"resnet"})").backbone;
    EXPECT_EQ(plain.names, ResNetConfig::Names::transformers);
    EXPECT_EQ(plain.stages.size(), 4u);
    EXPECT_EQ(plain.stages[3].blocks, 3u);
    EXPECT_EQ(detr(R"(,"use_timm_backbone":false)").backbone.names,
              ResNetConfig::Names::transformers);
    const ResNetConfig odd = detr(R"(,"backbone_config":{"model_type":"resnet","layer_type":"basic",
        "depths":[2,2,2,2],"hidden_sizes":[64,128,256,512],"downsample_in_first_stage":true,
        "out_features":["stage2","stage3"]})")
                                 .backbone;
    EXPECT_FALSE(odd.bottleneck);
    EXPECT_TRUE(odd.first_stage_strides);
    EXPECT_EQ(odd.stages.size(), 3u) << "the last that is wanted";
    EXPECT_EQ(odd.channels(), 256u);
}

TEST(DetrConfigTest, the_stage_that_is_wanted_may_be_counted_from_the_end) {
    auto stages = [](const std::string& indices) {
        return detr(R"(,"backbone_config":{"model_type":"timm_backbone","backbone":"resnet50",
            "out_indices":)" +
                    indices + "}")
            .backbone.stages.size();
    };
    EXPECT_EQ(stages("[-1]"), 4u);
    EXPECT_EQ(stages("[1, -2]"), 3u);
    EXPECT_EQ(stages("[2]"), 2u);
    for (const char* bad : {"[0]", "[5]", "[-9]", "[]", "[\"a\"]", "3"})
        expect_says(error_of([&] { stages(bad); }), "out_indices");
}

TEST(DetrConfigTest, what_is_not_supported_is_named) {
    auto says = [](std::string_view fields, std::string_view part) {
        expect_says(error_of([&] { detr(fields); }), part);
    };
    says(R"(,"backbone":"swin_tiny")", "swin_tiny");
    says(R"(,"backbone":"resnet50","use_timm_backbone":false)", "backbone_config");
    says(R"(,"backbone_config":{"model_type":"swin"})", "swin");
    says(R"(,"backbone_config":{"model_type":"timm_backbone","backbone":"vgg11"})", "vgg11");
    says(R"(,"backbone_config":{"model_type":"timm_backbone","backbone":"resnet50",
         "output_stride":12})",
         "output_stride");
    says(R"(,"backbone_config":{"model_type":"resnet","layer_type":"wide"})", "wide");
    says(R"(,"backbone_config":{"model_type":"resnet","depths":[1,2]})", "depths");
    says(R"(,"backbone_config":{"model_type":"resnet","depths":"many"})", "depths");
    says(R"(,"backbone_config":{"model_type":"resnet","out_features":["stem"]})", "out_features");
    says(R"(,"backbone_config":7)", "backbone_config");
    says(R"(,"position_embedding_type":"learned")", "learned");
    says(R"(,"d_model":254)", "d_model");
    says(R"(,"decoder_attention_heads":7)", "decoder_attention_heads");
    says(R"(,"num_channels":1)", "num_channels");
    says(R"(,"activation_function":"mish")", "mish");
    says(R"(,"architectures":["DetrModel"])", "DetrModel");
}

}  // namespace
}  // namespace saccade
