#include "models/captioning/beam_search.h"

#include <gtest/gtest.h>

#include <cmath>

namespace saccade {
namespace {

constexpr uint32_t stop = 9;
using Ids = std::vector<uint32_t>;
using Candidates = std::vector<BeamSearch::Candidate>;

Generation two_beams() {
    Generation g;
    g.beams = 2;
    g.stops = {stop};
    g.max_length = 6;
    return g;
}
BeamSearch search_of(const Generation& generation) {
    const uint32_t given[] = {0};
    return BeamSearch(generation, given);
}

TEST(BeamSearchTest, asks_for_enough_candidates_that_beams_remain_if_the_best_end) {
    Generation g = two_beams();
    EXPECT_EQ(search_of(g).candidates(), 4u);
    g.stops = {1, 2, 3};
    EXPECT_EQ(search_of(g).candidates(), 8u);
    g.stops = {};
    EXPECT_EQ(search_of(g).candidates(), 4u);
}

TEST(BeamSearchTest, the_best_sums_go_on_whatever_beam_they_come_from) {
    BeamSearch search = search_of(two_beams());
    search.advance(Candidates{{0, 1, -1.0}, {0, 2, -2.0}, {0, 3, -3.0}, {0, 4, -4.0}});
    ASSERT_EQ(search.running().size(), 2u);
    EXPECT_EQ(search.running()[0].ids, (Ids{0, 1}));
    EXPECT_EQ(search.running()[1].ids, (Ids{0, 2}));
    search.advance(Candidates{{0, 5, -5.0}, {0, 6, -6.0}, {1, 7, -0.5}, {1, 8, -1.0}});
    EXPECT_EQ(search.running()[0].ids, (Ids{0, 2, 7}));
    EXPECT_EQ(search.running()[1].ids, (Ids{0, 2, 8}));
    EXPECT_EQ(search.running()[0].parent, 1u);
    EXPECT_EQ(search.running()[1].parent, 1u);
    EXPECT_EQ(search.running()[0].sum, -2.5);
}

TEST(BeamSearchTest, only_an_end_among_the_best_counts) {
    BeamSearch search = search_of(two_beams());
    // With two beams, an end token of rank three is neither kept nor continued.
    search.advance(Candidates{{0, 1, -1.0}, {0, 2, -2.0}, {0, stop, -2.5}, {0, 4, -4.0}});
    EXPECT_EQ(search.best().ids, (Ids{0, 1})) << "nothing has ended yet";
    search.advance(Candidates{{0, stop, -0.1}, {0, 3, -3.0}, {1, 4, -1.0}, {1, 5, -5.0}});
    EXPECT_EQ(search.best().ids, (Ids{0, 1, stop}));
    EXPECT_NEAR(search.best().score, -1.1 / 2, 1e-12) << "by the two ids that were written";
    EXPECT_EQ(search.running()[0].ids, (Ids{0, 2, 4}));
}

TEST(BeamSearchTest, stops_when_no_running_beam_can_become_better_than_the_worst_that_is_done) {
    BeamSearch search = search_of(two_beams());
    search.advance(Candidates{{0, stop, -0.2}, {0, 1, -0.4}, {0, 2, -9.0}, {0, 3, -9.0}});
    EXPECT_FALSE(search.finished()) << "one is done, two are wanted";
    search.advance(Candidates{{0, stop, -0.2}, {0, 4, -8.0}, {1, 5, -9.0}, {1, 6, -9.0}});
    EXPECT_TRUE(search.finished()) << "-8.4 / 2 is less than both";
    EXPECT_EQ(search.best().ids, (Ids{0, stop}));
}

TEST(BeamSearchTest, goes_on_while_a_running_beam_may_still_become_better) {
    for (auto stopping : {Generation::EarlyStopping::no, Generation::EarlyStopping::yes}) {
        Generation g = two_beams();
        g.early_stopping = stopping;
        BeamSearch search = search_of(g);
        search.advance(Candidates{{0, stop, -1.0}, {0, 1, -1.1}, {0, 2, -1.2}, {0, 3, -9.0}});
        search.advance(Candidates{{0, stop, -0.5}, {0, 4, -0.6}, {1, 5, -9.0}, {1, 6, -9.0}});
        // Done: -1.0 and -1.6 / 2; running: -1.7 / 2, better than the worse of them.
        EXPECT_EQ(search.finished(), stopping == Generation::EarlyStopping::yes);
    }
}

TEST(BeamSearchTest, never_stopping_early_thinks_of_the_longest_sentence) {
    Generation g = two_beams();
    g.max_length = 40;
    auto finished = [&](Generation::EarlyStopping stopping) {
        g.early_stopping = stopping;
        BeamSearch search = search_of(g);
        search.advance(Candidates{{0, stop, -0.2}, {0, 1, -0.4}, {0, 2, -9.0}, {0, 3, -9.0}});
        search.advance(Candidates{{0, stop, -0.2}, {0, 4, -2.0}, {1, 5, -9.0}, {1, 6, -9.0}});
        return search.finished();
    };
    EXPECT_TRUE(finished(Generation::EarlyStopping::no));
    EXPECT_FALSE(finished(Generation::EarlyStopping::never)) << "-2.4 / 39 would be best of all";
}

TEST(BeamSearchTest, at_the_greatest_length_the_best_sentences_are_done) {
    Generation g = two_beams();
    g.max_length = 2;
    BeamSearch search = search_of(g);
    search.advance(Candidates{{0, 1, -1.0}, {0, 2, -2.0}, {0, 3, -3.0}, {0, 4, -4.0}});
    EXPECT_TRUE(search.finished());
    EXPECT_EQ(search.best().ids, (Ids{0, 1}));
    search.advance(Candidates{{0, 5, -1.0}});
    EXPECT_EQ(search.best().ids, (Ids{0, 1})) << "and nothing changes them";
}

TEST(BeamSearchTest, the_length_penalty_chooses_between_short_and_long) {
    auto best = [](double penalty) {
        Generation g = two_beams();
        g.max_length = 3;
        g.length_penalty = penalty;
        BeamSearch search = search_of(g);
        search.advance(Candidates{{0, stop, -1.0}, {0, 1, -1.1}, {0, 2, -3.0}, {0, 3, -9.0}});
        search.advance(Candidates{{0, 4, -0.5}, {0, 5, -9.0}, {1, 5, -9.0}, {1, 6, -9.0}});
        return search.best().ids;
    };
    EXPECT_EQ(best(0), (Ids{0, stop})) << "-1.0 against -1.6";
    EXPECT_EQ(best(1), (Ids{0, 1, 4})) << "-1.0 against -0.8";
}

TEST(BeamSearchTest, given_ids_do_not_count_as_length) {
    const uint32_t given[] = {0, 1, 2, 3};
    Generation g = two_beams();
    g.max_length = 5;
    BeamSearch search(g, given);
    search.advance(Candidates{{0, 4, -1.5}, {0, 5, -2.0}, {0, 6, -3.0}, {0, 7, -4.0}});
    EXPECT_TRUE(search.finished());
    EXPECT_EQ(search.best().score, -1.5);
    EXPECT_EQ(search.best().log_probs, (std::vector<double>{0, 0, 0, 0, -1.5}));
}

}  // namespace
}  // namespace saccade
