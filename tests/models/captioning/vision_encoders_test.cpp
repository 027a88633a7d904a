#include "models/captioning/vision_encoders.h"

#include "models/captioning/vision_encoder_decoder.h"
#include "tests/models/caption_fixture.h"

namespace saccade {
namespace {

class VisionEncodersTest : public CaptionTest {
protected:
    Golden hybrid{"hybrid-gpt2-nano"};
};

TEST_F(VisionEncodersTest, each_layer_of_a_hybrid_encoder_looks_at_its_own_map) {
    Captioner captioner = make(hybrid, Type::f32);
    const CaptionModel& model = captioner.model();
    ASSERT_EQ(model.encoder_layers(), 2u);  // AIFI's, and a block over the map of stride 16
    Tap tap({0, 1});
    captioner.prepare({frame.width(), frame.height()});
    begin();
    frame.record(commands);
    captioner.record(commands, frame.image(), tap);
    finish();
    const Size grids[] = {{2, 2}, {4, 4}};
    for (uint32_t i = 0; i < 2; ++i) {
        EXPECT_EQ(model.encoder_layout(i).grid, grids[i]);
        EXPECT_EQ(tap.layer(i).k.rows, area(grids[i]));
        const MapGeometry geometry = captioner.encoder_geometry(i);
        EXPECT_NEAR(geometry.cell.x, float(frame.width()) / float(grids[i].x), 1e-3);
        EXPECT_NEAR(geometry.corner.x, 0, 1e-3);
    }
    EXPECT_EQ(captioner.geometry().grid, grids[1]);
}

TEST_F(VisionEncodersTest, pictures_together_are_seen_as_each_alone) {
    Captioner captioner = make(hybrid, Type::f32);
    captioner.prepare({frame.width(), frame.height()});
    auto seen = [&](const std::vector<const Image*>& images) {
        captioner.take_together(static_cast<uint32_t>(images.size()));
        PictureGroup group = captioner.make_group();
        Tap nobody;
        return run([&](Commands& c) {
            frame.record(c);
            captioner.record(c, images, nobody, group);
            return group.encoded();
        });
    };
    const Floats alone = seen({&frame.image()});
    const Floats both = seen({&frame.image(), &frame.image()});
    ASSERT_EQ(both.size(), 2 * alone.size());
    const auto half = both.begin() + std::ptrdiff_t(alone.size());
    EXPECT_LT(relative_error(Floats(both.begin(), half), alone), 1e-5);
    EXPECT_LT(relative_error(Floats(half, both.end()), alone), 1e-5);
}

TEST_F(VisionEncodersTest, configs_that_cannot_be_are_refused) {
    auto refusal = [&](const Json& change) {
        Json config = hybrid.config;
        config["encoder"].merge_patch(change);
        return error_of([&] { read_vision_encoder_decoder_config(config, "config.json"); });
    };
    expect_says(refusal({{"out_stride", 64u}}), "out_stride");
    expect_says(refusal({{"look", {{"hidden_size", 48u}}}}), "n_embd");
    expect_says(refusal({{"look", {{"num_attention_heads", 5u}}}}), "num_attention_heads");
    expect_says(refusal({{"image_size", nullptr}}), "image_size");
    expect_says(refusal({{"model_type", "swin"}}), "swin");
}

}  // namespace
}  // namespace saccade
