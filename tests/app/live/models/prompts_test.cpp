// Phrases, labels and questions that change while the loop runs.

#include <gtest/gtest.h>
#include <spdlog/spdlog.h>

#include <algorithm>

#include "app/live/loop.h"
#include "app/live/state/session.h"
#include "tests/app/live/stepped_loop.h"
#include "tests/app/program.h"

namespace saccade {
namespace {

class PromptsTest : public SteppedLoop {
protected:
    PromptsTest() : SteppedLoop({}) {
        wishes.detector = wishes.classifier = wishes.captioner = "none";
        wishes.source = "synth:160x120@30?seed=3";
        wishes.look.attention.mode = AttentionMode::off;
    }
    const std::vector<Detection>& found() const { return *loop.shown()->result.detections; }
};

TEST_F(PromptsTest, what_is_typed_is_looked_for_from_the_next_frame_on) {
    wishes.detector = model_folder(folder, "owlv2-nano");
    expect_says(error_of([&] { wait_for_models(); }), "finds what you name");
    wait_for_models(true);  // viewers may still enter a prompt
    EXPECT_TRUE(loop.status().detector.takes_words);
    ASSERT_TRUE(step_frames(1));
    EXPECT_FALSE(loop.shown()->result.detections) << "nothing was named yet";

    wishes.prompts.find = "red mug, my cat";
    ASSERT_TRUE(step_frames(1));
    EXPECT_EQ(loop.status().labels, (Words{"red mug", "my cat"}));
    EXPECT_EQ(loop.shown()->labels->detector, loop.status().labels);
    ASSERT_FALSE(found().empty());
    for (const Detection& one : found()) EXPECT_GT(one.score, 0.1f) << "the card's threshold";

    // Each has a threshold of its own.
    // Frames in flight still have the old one.
    wishes.look.filter.least_scores["red mug"] = 1;
    ASSERT_TRUE(step_until([&] { return std::ranges::count(found(), 0u, &Detection::id) == 0; }));
    EXPECT_FALSE(found().empty());
    wishes.look.filter.least_scores["my cat"] = 1;
    ASSERT_TRUE(step_until([&] { return found().empty(); }));
    wishes.look.filter.least_scores.clear();

    // An unreadable example leaves the old ones.
    std::string far;
    for (int i = 0; i < 40; ++i) far += "very ";
    wishes.prompts.find = far + "far";
    ASSERT_TRUE(step_frames(1));
    expect_says(loop.status().detector.words_error, "use fewer words");
    EXPECT_EQ(loop.status().labels, (Words{"red mug", "my cat"}));
    wishes.prompts.find = "dog";
    ASSERT_TRUE(step_frames(1));
    EXPECT_EQ(loop.status().detector.words_error, "");
    EXPECT_EQ(loop.status().labels, Words{"dog"});
}

TEST_F(PromptsTest, an_example_that_is_missing_is_told_although_words_may_come) {
    wishes.detector = model_folder(folder, "owlv2-nano");
    wishes.prompts.like = {"no-such-picture.png"};
    expect_says(error_of([&] { wait_for_models(true); }), "no-such-picture.png");
}

TEST_F(PromptsTest, a_box_that_is_drawn_in_the_frozen_frame_is_looked_for) {
    wishes.detector = model_folder(folder, "owlv2-nano");
    wishes.prompts.find = "dog";
    wait_for_models();
    ASSERT_TRUE(step_frames(1));
    wishes.frozen = true;
    add_example(wishes, {20, 20, 90, 80});
    ASSERT_TRUE(step_until([&] { return loop.status().labels.size() == 2; }));
    EXPECT_EQ(loop.status().labels, (Words{"dog", "like 1"}));
    EXPECT_EQ(loop.status().examples, 1u);
    wishes.look.filter.least_scores["like 1"] = 0;
    wishes.frozen = false;
    ASSERT_TRUE(step_frames(2));
    EXPECT_TRUE(std::ranges::any_of(found(), [](const Detection& d) { return d.id == 1; }));

    // One of them alone, then none.
    wishes.prompts.find.clear();
    ASSERT_TRUE(step_frames(1));
    EXPECT_EQ(loop.status().labels, Words{"like 1"});
    drop_example(wishes, "like 1");
    wishes.prompts.find = "dog";
    ASSERT_TRUE(step_frames(1));
    EXPECT_EQ(loop.status().labels, Words{"dog"});
    EXPECT_EQ(loop.status().examples, 0u);
}

TEST_F(PromptsTest, a_box_under_the_mouse_is_asked_for_what_its_patch_looked_at) {
    wishes.detector = model_folder(folder, "owlv2-nano");
    wishes.prompts.find = "dog, cat";
    wishes.look.attention.mode = AttentionMode::mean;
    wait_for_models();
    ASSERT_TRUE(step_frames(1));
    wishes.frozen = true;
    ASSERT_FALSE(found().empty());
    pointer.target.point = found().front().box.middle();
    ASSERT_TRUE(step_until([&] { return loop.shown()->attention.has_value(); }));
    EXPECT_EQ(loop.shown()->attention->looker.token, Looker::Token::query);

    // The similarity of each patch to one phrase, and to all.
    pointer.target.phrase = PhraseRef{MapModel::detector, 1};
    ASSERT_TRUE(step_until([&] {
        return loop.shown()->attention &&
               loop.shown()->attention->looker.token == Looker::Token::phrase;
    }));
    EXPECT_EQ(loop.shown()->attention->looker.phrase, 1u);
    EXPECT_GT(loop.shown()->attention->largest, 0);
    EXPECT_LE(loop.shown()->attention->largest, 1);
    wishes.look.attention.mode = AttentionMode::grid;
    ASSERT_TRUE(step_until([&] { return loop.shown()->tiles.has_value(); }));
    EXPECT_EQ(loop.shown()->tiles->count(), 2u);
}

TEST_F(PromptsTest, labels_are_sentences_that_the_panel_shows) {
    wishes.classifier = model_folder(folder, "clip-nano");
    wishes.prompts.labels = "cat, dog";
    wait_for_models();
    ASSERT_TRUE(step_frames(1));
    EXPECT_EQ(loop.status().classifier.prompts, (Words{"a photo of a cat.", "a photo of a dog."}));
    EXPECT_EQ(loop.shown()->result.classes->size(), 2u);
    wishes.prompts.labels = "cat, dog, nothing";
    ASSERT_TRUE(step_frames(1));
    EXPECT_EQ(loop.shown()->result.classes->size(), 3u);
    EXPECT_EQ(loop.shown()->labels->classifier, (Words{"cat", "dog", "nothing"}));
    wishes.prompts.labels = "cat, , dog";
    ASSERT_TRUE(step_frames(1));
    expect_says(loop.status().classifier.words_error, "--labels: a phrase is empty");
    EXPECT_EQ(loop.shown()->result.classes->size(), 3u);
}

TEST_F(PromptsTest, a_captioner_that_only_describes_says_so_and_goes_on) {
    wishes.captioner = "emoji-captioner";
    wishes.prompts.question = "What is it?";
    expect_says(error_of([&] { wait_for_models(); }), "takes no question");
    ASSERT_TRUE(step_until([&] { return !loop.captions().caption().words.empty(); }));
    EXPECT_FALSE(loop.captions().caption().answers);
    EXPECT_FALSE(loop.status().captioner.takes_words);
}

}  // namespace
}  // namespace saccade
