#include "models/captioning/show_attend_tell.h"

#include "tests/models/caption_fixture.h"

namespace saccade {
namespace {

class ShowAttendTellTest : public CaptionTest {
protected:
    Golden golden{"show-attend-tell-nano"};
};

// State and queries are copied with the beams.
TEST_F(ShowAttendTellTest, words_of_the_best_beam_look_where_their_definition_looks) {
    const Ids best = golden.info["sentences"][0]["ids"];
    const Floats want = golden["cross_attention_steps"];
    Captioner captioner = make(golden, Type::f32);
    CaptionOptions options = as_long_as(best.size());
    options.beams = 4;
    captioner.use(options);
    ASSERT_EQ(caption(captioner).ids, best);
    const uint32_t cells = captioner.model().picture().tokens;
    size_t same = 0;  // words that the greedy sentence of the golden has too
    while (same + 1 < best.size() && best[same + 1] == golden.ids()[same + 1]) ++same;
    EXPECT_GE(same, 3u);
    for (size_t word = 1; word <= same; ++word) {
        const Floats row =
            run([&](Commands& c) { return captioner.attention_of_word(c, {}, word, 1); });
        const auto first = want.begin() + std::ptrdiff_t((word - 1) * cells);
        EXPECT_LT(relative_error(row, Floats(first, first + cells)), 1e-4) << word;
    }
}

TEST_F(ShowAttendTellTest, a_cell_lies_around_the_pixel_that_its_convolutions_are_centred_on) {
    Captioner captioner = make(golden, Type::f32);
    captioner.prepare({frame.width(), frame.height()});
    const MapGeometry geometry = captioner.geometry();
    const glm::vec2 pixel = glm::vec2(frame.width(), frame.height()) / 64.0f;  // of the model's
    EXPECT_EQ(geometry.grid, (Size{4, 4}));
    EXPECT_NEAR(geometry.cell.x, 16 * pixel.x, 1e-3);
    EXPECT_NEAR(geometry.cell.y, 16 * pixel.y, 1e-3);
    EXPECT_NEAR(geometry.corner.x, -7.5 * double(pixel.x), 1e-3);
    EXPECT_NEAR(geometry.corner.y, -7.5 * double(pixel.y), 1e-3);
}

TEST_F(ShowAttendTellTest, has_one_layer_and_one_head_to_look_at_and_an_encoder_without_any) {
    Captioner captioner = make(golden, Type::f32);
    EXPECT_EQ(captioner.model().encoder_layers(), 0u);
    caption(captioner);
    begin();
    expect_says(error_of([&] { captioner.attention_of_word(commands, {.layer = 1}, 1, 1); }),
                "no layer 1");
    expect_says(
        error_of([&] { captioner.attention_of_word(commands, {.layer = 0, .head = 1}, 1, 1); }),
        "no head 1");
    finish();
}

TEST_F(ShowAttendTellTest, configs_that_cannot_be_are_refused) {
    auto refusal = [&](const char* key, const Json& value) {
        Json config = golden.config;
        config[key] = value;
        return error_of([&] { read_show_attend_tell_config(config, "config.json"); });
    };
    expect_says(refusal("image_size", nullptr), "image_size");
    expect_says(refusal("hidden_size", 0u), "hidden_size");
    expect_says(refusal("architectures", {"ShowAndTell"}), "ShowAndTell");
    expect_says(refusal("backbone_config", nullptr), "backbone_config");
    const ShowAttendTellConfig config = read_show_attend_tell_config(golden.config, "config.json");
    EXPECT_EQ(config.backbone.channels(), 20u);
    EXPECT_EQ(config.attention, 12u);
}

}  // namespace
}  // namespace saccade
