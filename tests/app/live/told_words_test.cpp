// Phrases, labels and questions that change while the loop runs.

#include <gtest/gtest.h>
#include <spdlog/spdlog.h>

#include <algorithm>

#include "app/live/loop.h"
#include "tests/app/live/stepped_loop.h"
#include "tests/app/program.h"

namespace saccade {
namespace {

class ToldWordsTest : public SteppedLoop {
protected:
    ToldWordsTest() : SteppedLoop({}) {
        state.detector = state.classifier = state.captioner = "none";
        state.source = "synth:160x120@30?seed=3";
        state.attention.mode = AttentionMode::off;
    }
    const std::vector<Detection>& found() const { return *loop.shown()->result.detections; }
};

TEST_F(ToldWordsTest, what_is_typed_is_looked_for_from_the_next_frame_on) {
    state.detector = model_folder(folder, "owlv2-nano");
    expect_says(error_of([&] { loop.wait_for_models(state); }), "finds what you name");
    loop.wait_for_models(state, true);  // who watches may still name something
    EXPECT_TRUE(loop.report().detector.takes_words);
    ASSERT_TRUE(step_frames(1));
    EXPECT_FALSE(loop.shown()->result.detections) << "nothing was named yet";

    state.words.find = "red mug, my cat";
    ASSERT_TRUE(step_frames(1));
    EXPECT_EQ(loop.report().labels, (Words{"red mug", "my cat"}));
    EXPECT_EQ(loop.labels().detector, loop.report().labels);
    ASSERT_FALSE(found().empty());
    for (const Detection& one : found()) EXPECT_GT(one.score, 0.1f) << "the card's threshold";

    // Each has a threshold of its own.
    // Frames on their way still have the old one.
    state.least_scores["red mug"] = 1;
    ASSERT_TRUE(step_until([&] { return std::ranges::count(found(), 0u, &Detection::id) == 0; }));
    EXPECT_FALSE(found().empty());
    state.least_scores["my cat"] = 1;
    ASSERT_TRUE(step_until([&] { return found().empty(); }));
    state.least_scores.clear();

    // What cannot be read leaves what was there.
    std::string far;
    for (int i = 0; i < 40; ++i) far += "very ";
    state.words.find = far + "far";
    ASSERT_TRUE(step_frames(1));
    expect_says(loop.report().detector.words_error, "use fewer words");
    EXPECT_EQ(loop.report().labels, (Words{"red mug", "my cat"}));
    state.words.find = "dog";
    ASSERT_TRUE(step_frames(1));
    EXPECT_EQ(loop.report().detector.words_error, "");
    EXPECT_EQ(loop.report().labels, Words{"dog"});
}

TEST_F(ToldWordsTest, an_example_that_is_missing_is_told_although_words_may_come) {
    state.detector = model_folder(folder, "owlv2-nano");
    state.words.like = {"no-such-picture.png"};
    expect_says(error_of([&] { loop.wait_for_models(state, true); }), "no-such-picture.png");
}

TEST_F(ToldWordsTest, a_box_that_is_drawn_in_the_frozen_frame_is_looked_for) {
    state.detector = model_folder(folder, "owlv2-nano");
    state.words.find = "dog";
    loop.wait_for_models(state);
    ASSERT_TRUE(step_frames(1));
    state.frozen = true;
    add_example(state, {20, 20, 90, 80});
    ASSERT_TRUE(step_until([&] { return loop.report().labels.size() == 2; }));
    EXPECT_EQ(loop.report().labels, (Words{"dog", "like 1"}));
    EXPECT_EQ(loop.report().examples, 1u);
    state.least_scores["like 1"] = 0;
    state.frozen = false;
    ASSERT_TRUE(step_frames(2));
    EXPECT_TRUE(std::ranges::any_of(found(), [](const Detection& d) { return d.id == 1; }));

    // Alone, and not at all any more.
    state.words.find.clear();
    ASSERT_TRUE(step_frames(1));
    EXPECT_EQ(loop.report().labels, Words{"like 1"});
    drop_example(state, "like 1");
    state.words.find = "dog";
    ASSERT_TRUE(step_frames(1));
    EXPECT_EQ(loop.report().labels, Words{"dog"});
    EXPECT_EQ(loop.report().examples, 0u);
}

TEST_F(ToldWordsTest, a_box_under_the_mouse_is_asked_for_what_its_patch_looked_at) {
    state.detector = model_folder(folder, "owlv2-nano");
    state.words.find = "dog, cat";
    state.attention.mode = AttentionMode::mean;
    loop.wait_for_models(state);
    ASSERT_TRUE(step_frames(1));
    state.frozen = true;
    ASSERT_FALSE(found().empty());
    state.pointer = found().front().box.middle();
    ASSERT_TRUE(step_until([&] { return loop.shown()->attention.has_value(); }));
    EXPECT_EQ(loop.shown()->attention->looker.token, Looker::Token::query);

    // How much each patch is like a phrase, of one and of all.
    state.phrase = PhraseLook{AskedModel::detector, 1};
    ASSERT_TRUE(step_until([&] {
        return loop.shown()->attention &&
               loop.shown()->attention->looker.token == Looker::Token::phrase;
    }));
    EXPECT_EQ(loop.shown()->attention->looker.phrase, 1u);
    EXPECT_GT(loop.shown()->attention->largest, 0);
    EXPECT_LE(loop.shown()->attention->largest, 1);
    state.attention.mode = AttentionMode::grid;
    ASSERT_TRUE(step_until([&] { return loop.shown()->tiles.has_value(); }));
    EXPECT_EQ(loop.shown()->tiles->count(), 2u);
}

TEST_F(ToldWordsTest, labels_are_sentences_that_the_panel_shows) {
    state.classifier = model_folder(folder, "clip-nano");
    state.words.labels = "cat, dog";
    loop.wait_for_models(state);
    ASSERT_TRUE(step_frames(1));
    EXPECT_EQ(loop.report().classifier.prompts, (Words{"a photo of a cat.", "a photo of a dog."}));
    EXPECT_EQ(loop.shown()->result.classes->size(), 2u);
    state.words.labels = "cat, dog, nothing";
    ASSERT_TRUE(step_frames(1));
    EXPECT_EQ(loop.shown()->result.classes->size(), 3u);
    EXPECT_EQ(loop.labels().classifier, (Words{"cat", "dog", "nothing"}));
    state.words.labels = "cat, , dog";
    ASSERT_TRUE(step_frames(1));
    expect_says(loop.report().classifier.words_error, "--labels: a phrase is empty");
    EXPECT_EQ(loop.shown()->result.classes->size(), 3u);
}

TEST_F(ToldWordsTest, a_captioner_that_only_describes_says_so_and_goes_on) {
    state.captioner = "emoji-captioner";
    state.words.question = "What is it?";
    expect_says(error_of([&] { loop.wait_for_models(state); }), "takes no question");
    ASSERT_TRUE(step_until([&] { return !loop.captions().caption().words.empty(); }));
    EXPECT_FALSE(loop.captions().caption().answers);
    EXPECT_FALSE(loop.report().captioner.takes_words);
}

}  // namespace
}  // namespace saccade
