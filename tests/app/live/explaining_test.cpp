// What answers need, in the live loop, with small models on a picture that stands still.

#include "app/live/explaining.h"

#include "tests/app/live/stepped_loop.h"
#include "tests/app/program.h"

namespace saccade {
namespace {

class LiveExplainingTest : public SteppedLoop {
protected:
    LiveExplainingTest() : SteppedLoop({}) {
        wishes.detector = wishes.captioner = "none";
        wishes.classifier = model_folder(folder, "vit-nano");
        wishes.source = golden_picture();
        wishes.look.model = MapModel::classifier;
        wishes.look.overview = true;  // of the likeliest class
    }
    const std::optional<CauseSeen>& cause() const { return loop.status().causes[0]; }
    bool all_is_known() { return cause() && cause()->does.empty() && loop.waits_for_person(); }
    std::vector<ClassScore> classes() const { return *loop.shown()->result.classes; }
};

TEST_F(LiveExplainingTest, a_map_of_causes_gets_finer_until_everything_is_known) {
    wishes.look.attention.mode = AttentionMode::cause;
    wait_for_models();
    ASSERT_TRUE(step_until([&] { return cause() && !cause()->cells.empty(); }));
    EXPECT_GE(cause()->knock_outs, 1u);
    ASSERT_TRUE(step_until([&] { return all_is_known(); }));
    EXPECT_EQ(cause()->kind, "class");
    EXPECT_EQ(cause()->unit, "logit");
    EXPECT_EQ(cause()->knock_outs, 20u) << "4 squares, then 16 cells";
    ASSERT_EQ(cause()->effects.size(), 3u);
    EXPECT_EQ(cause()->effects[2].size(), 4u);
    ASSERT_EQ(cause()->methods.size(), 1u);
    EXPECT_NE(cause()->methods[0].words.find("carries"), std::string::npos);
    // The picture shows the last of it, with a legend of what it is.
    const std::optional<AttentionSeen>& seen = loop.shown()->attention;
    ASSERT_TRUE(seen);
    EXPECT_EQ(seen->mode, AttentionMode::cause);
    EXPECT_EQ(seen->cells, cause()->cells);
}

TEST_F(LiveExplainingTest, without_a_budget_nothing_is_knocked_out) {
    wishes.look.attention.mode = AttentionMode::cause;
    wishes.cause_budget_ms = 0;
    wait_for_models();
    ASSERT_TRUE(step_until([&] { return loop.shown() && loop.waits_for_person(); }));
    EXPECT_FALSE(cause());
    EXPECT_FALSE(loop.shown()->attention);
}

TEST_F(LiveExplainingTest, a_map_of_attention_is_measured_beside_that_of_causes) {
    wishes.look.attention.mode = AttentionMode::rollout;
    wishes.look.meter = true;
    wait_for_models();
    ASSERT_TRUE(step_until([&] { return all_is_known(); }));
    ASSERT_EQ(cause()->methods.size(), 2u);
    EXPECT_EQ(cause()->methods[1].name, "classifier, rollout");
    EXPECT_TRUE(loop.shown()->attention->rolled_out) << "it is that map that is shown";
}

TEST_F(LiveExplainingTest, viewers_have_maps_of_their_own_targets) {
    RemoteLook look{.viewer = 7, .attention = {.mode = AttentionMode::cause}};
    look.model = MapModel::classifier;
    wishes.remote.looks = {look};
    wait_for_models();
    ASSERT_TRUE(step_until([&] {
        return loop.shown() && loop.shown()->maps.size() == 1 && loop.shown()->maps[0].count == 1;
    }));
    const MapOnHost& map = loop.shown()->maps[0];
    EXPECT_EQ(map.whose, 7u);
    EXPECT_EQ(map.cells.size(), 16u);
    ASSERT_TRUE(map.cause);
    EXPECT_EQ(map.cause->kind, "class");
    EXPECT_FALSE(cause()) << "the window asks for nothing";
}

TEST_F(LiveExplainingTest, a_head_stays_off_until_it_is_put_back_and_then_every_bit_is_as_before) {
    wait_for_models();
    ASSERT_TRUE(step_until([&] { return loop.shown() && loop.waits_for_person(); }));
    const std::vector<ClassScore> before = classes();
    wishes.look.heads_off = {{HeadOff::Of::classifier, 0, 1}};
    ASSERT_TRUE(step_until([&] { return classes()[0].score != before[0].score; }));
    ASSERT_TRUE(step_until([&] { return loop.waits_for_person(); }));
    wishes.look.heads_off.clear();
    ASSERT_TRUE(step_until([&] { return classes()[0].score == before[0].score; }));
    for (size_t i = 0; i < before.size(); ++i) {
        EXPECT_EQ(classes()[i].id, before[i].id);
        EXPECT_EQ(classes()[i].score, before[i].score);
    }
}

}  // namespace
}  // namespace saccade
