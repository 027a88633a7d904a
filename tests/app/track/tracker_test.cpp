#include "app/track/tracker.h"

#include <gtest/gtest.h>
#include <time.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "app/track/frame_tracker.h"
#include "tests/allocations.h"

namespace saccade {
namespace {

// An object of 40 x 40 pixels around a point.
struct Thing {
    glm::vec2 place;
    float score = 0.9f;
    uint32_t label = 0;
    int embedding = -1;  // the axis that it points along; -1: none
};

Observations seen(double time, const std::vector<Thing>& detections) {
    constexpr uint32_t embeddings = 16;
    Observations frame;
    frame.time = time;
    for (const Thing& detection : detections) {
        frame.detections.push_back(
            {{detection.place - 20.0f, detection.place + 20.0f}, detection.score, detection.label});
        if (detection.embedding < 0) continue;
        frame.embedding_size = embeddings;
        frame.embeddings.resize(frame.embeddings.size() + embeddings);
        frame.embeddings[frame.embeddings.size() - embeddings +
                         static_cast<size_t>(detection.embedding)] = 127;
    }
    return frame;
}

std::vector<uint32_t> step(Tracker& tracker, double time, const std::vector<Thing>& detections) {
    const std::span<const uint32_t> numbers = tracker.step(seen(time, detections));
    return {numbers.begin(), numbers.end()};
}
using Numbers = std::vector<uint32_t>;

TEST(Trackers, give_a_thing_the_same_number_as_long_as_it_is_there) {
    Tracker tracker;
    for (int i = 0; i < 60; ++i) {
        const auto t = static_cast<float>(i) / 30;
        const Numbers numbers =
            step(tracker, t, {{{100 + 90 * t, 100}}, {{300 - 60 * t, 200 + 40 * std::sin(t)}}});
        if (i >= 2) {
            EXPECT_EQ(numbers, (Numbers{1, 2})) << i;
        }
    }
    EXPECT_EQ(tracker.numbers(), 2u);
}

TEST(Trackers, count_only_what_has_been_seen_more_than_once) {
    Tracker tracker;
    EXPECT_EQ(step(tracker, 0, {{{100, 100}}}), (Numbers{0}));
    // A detection in a single frame elsewhere gets no number.
    EXPECT_EQ(step(tracker, 0.1, {{{100, 100}}, {{300, 300}}}), (Numbers{1, 0}));
    for (int i = 2; i < 9; ++i) EXPECT_EQ(step(tracker, 0.1 * i, {{{100, 100}}}), (Numbers{1}));
    step(tracker, 0.9, {{{100, 100}}, {{500, 300}}});
    EXPECT_EQ(step(tracker, 1.0, {{{100, 100}}, {{500, 300}}}), (Numbers{1, 2}));
}

TEST(Trackers, do_not_mind_strides_and_uneven_times) {
    for (const double stride : {1.0, 3.0, 7.0}) {
        Tracker tracker;
        uint32_t last = 0;
        for (double i = 0, frame = 0; frame < 90; ++i, frame += stride + std::fmod(i, 2)) {
            const double t = frame / 30;
            last = step(tracker, t, {{{100 + 60 * static_cast<float>(t), 100}}})[0];
        }
        EXPECT_EQ(last, 1u) << stride;
        EXPECT_EQ(tracker.numbers(), 1u) << stride;
    }
}

TEST(Trackers, go_on_with_weak_detections_but_do_not_begin_with_them) {
    Tracker tracker;
    EXPECT_EQ(step(tracker, 0, {{{100, 100}, 0.3f}}), (Numbers{0}));
    EXPECT_EQ(step(tracker, 0.1, {{{100, 100}, 0.3f}}), (Numbers{0}));
    EXPECT_TRUE(tracker.tracks().empty());
    for (int i = 2; i < 5; ++i) step(tracker, 0.1 * i, {{{100, 100}}});
    EXPECT_EQ(step(tracker, 0.5, {{{100, 100}, 0.3f}}), (Numbers{1}));
    EXPECT_EQ(step(tracker, 0.6, {{{100, 100}, 0.1f}}), (Numbers{0})) << "too weak for anything";
    Tracker doubtful;  // 0.9 and 0.35 would be enough for a number
    step(doubtful, 0, {{{100, 100}}});
    EXPECT_EQ(step(doubtful, 0.1, {{{100, 100}, 0.35f}}), (Numbers{0}));
}

TEST(Trackers, go_on_with_weak_detections_where_they_overlap_enough) {
    for (const auto& [x, number] : {std::pair{110.0f, 1u}, std::pair{119.5f, 0u}}) {
        Tracker tracker;  // an IoU of 0.6, and of 0.34
        for (int i = 0; i < 5; ++i) step(tracker, 0.1 * i, {{{100, 100}}});
        EXPECT_EQ(step(tracker, 0.5, {{{x, 100}, 0.3f}}), (Numbers{number})) << x;
    }
}

TEST(Trackers, are_sure_of_a_thing_when_its_scores_add_up) {
    Tracker tracker;
    EXPECT_EQ(step(tracker, 0, {{{100, 100}, 0.55f}}), (Numbers{0}));
    EXPECT_EQ(step(tracker, 0.1, {{{100, 100}, 0.55f}}), (Numbers{0})) << "1.1";
    EXPECT_EQ(step(tracker, 0.2, {{{100, 100}, 0.55f}}), (Numbers{1}));
    Tracker doubtful;  // does not wait long for what has no number
    step(doubtful, 0, {{{100, 100}}});
    step(doubtful, 0.1, {});
    step(doubtful, 0.3, {});
    EXPECT_EQ(step(doubtful, 0.5, {{{100, 100}}}), (Numbers{0}));
}

TEST(Trackers, do_not_find_a_lost_thing_far_from_where_it_was) {
    Tracker tracker;
    for (int i = 0; i < 10; ++i) step(tracker, 0.1 * i, {{{100, 100}}});
    step(tracker, 1.0, {});
    EXPECT_EQ(step(tracker, 1.1, {{{280, 100}}}), (Numbers{0}));
    EXPECT_EQ(tracker.found_again(), 0u);
}

TEST(Trackers, wait_for_what_is_hidden_by_time_and_not_by_frames) {
    for (const double rate : {5.0, 15.0, 60.0})
        for (const double hidden : {1.0, 4.0}) {
            Tracker tracker;
            uint32_t number = 0;
            for (int i = 0; i < static_cast<int>(7 * rate); ++i) {
                const double t = i / rate;
                const bool there = t < 1.5 || t > 1.5 + hidden;
                const Thing detection{{100 + 30 * static_cast<float>(t), 100}};
                const Numbers numbers =
                    step(tracker, t, there ? std::vector{detection} : std::vector<Thing>{});
                if (there && numbers[0] > 0) number = numbers[0];
            }
            EXPECT_EQ(number, hidden < 2 ? 1u : 2u) << rate << " a second, hidden " << hidden;
            EXPECT_EQ(tracker.found_again(), hidden < 2 ? 1u : 0u);
        }
}

TEST(Trackers, tell_things_that_cross_by_their_way) {
    Tracker tracker;
    Numbers numbers;
    for (int i = 0; i < 60; ++i) {
        const auto t = static_cast<float>(i) / 30;
        numbers = step(tracker, t, {{{100 + 100 * t, 100}}, {{300 - 100 * t, 110}}});
    }
    EXPECT_EQ(numbers, (Numbers{1, 2}));
}

TEST(Trackers, tell_things_that_cross_and_turn_back_by_their_looks) {
    // They meet and turn back: judged by motion alone, they would have passed each other.
    auto run = [](bool embeddings) {
        Tracker tracker;
        Numbers numbers;
        for (int i = 0; i < 90; ++i) {
            const auto t = static_cast<float>(i) / 30;
            const float apart = 5 + 60 * std::abs(1.5f - t);
            std::vector<Thing> detections{{{200 - apart, 100}, 0.9f, 0, embeddings ? 3 : -1},
                                          {{200 + apart, 100}, 0.9f, 0, embeddings ? 5 : -1}};
            if (apart < 15) detections.erase(detections.begin() + 1);  // hidden behind the other
            numbers = step(tracker, t, detections);
        }
        return numbers;
    };
    EXPECT_EQ(run(true), (Numbers{1, 2}));
}

TEST(Trackers, take_another_kind_of_thing_at_the_same_place_for_another_thing) {
    Tracker tracker;
    for (int i = 0; i < 10; ++i) step(tracker, 0.1 * i, {{{100, 100}, 0.9f, 7, 1}});
    Numbers numbers;
    for (int i = 10; i < 20; ++i) numbers = step(tracker, 0.1 * i, {{{100, 100}, 0.9f, 8, 2}});
    EXPECT_EQ(numbers, (Numbers{2}));
}

TEST(Trackers, keep_the_number_of_a_thing_whose_label_changes_for_a_moment) {
    Tracker tracker;
    Numbers numbers;
    for (int i = 0; i < 20; ++i) {
        const uint32_t label = i == 12 ? 8 : 7;
        numbers = step(tracker, 0.1 * i, {{{100, 100}, 0.9f, label, 1}});
        if (i >= 2) {
            EXPECT_EQ(numbers, (Numbers{1})) << i;
        }
    }
}

TEST(Trackers, take_two_detections_of_one_thing_for_one) {
    Tracker tracker;
    for (int i = 0; i < 20; ++i)
        step(tracker, 0.1 * i, {{{100, 100}, 0.9f, 7}, {{102, 101}, 0.6f, 8}});
    EXPECT_EQ(tracker.numbers(), 1u);
}

TEST(Trackers, begin_anew_when_time_goes_back) {
    Tracker tracker;
    for (int i = 0; i < 10; ++i) step(tracker, 0.1 * i, {{{100, 100}}});
    for (int i = 0; i < 10; ++i) step(tracker, 0.1 * i, {{{100, 100}}});
    EXPECT_EQ(tracker.numbers(), 2u);
}

// Fifty moving objects, each with an embedding of 256 numbers; some are occluded at times.
Observations crowd(int frame) {
    constexpr uint32_t embeddings = 256;
    Observations seen;
    seen.frame = static_cast<uint64_t>(frame);
    seen.time = frame / 30.0;
    seen.embedding_size = embeddings;
    for (int i = 0; i < 50; ++i) {
        if ((frame + 7 * i) % 40 == 0) continue;
        const auto t = static_cast<float>(frame) / 30;
        const auto row = static_cast<float>(i / 10), column = static_cast<float>(i % 10);
        const auto phase = static_cast<float>(i);
        const glm::vec2 place(100 + 110 * column + 60 * std::sin(0.3f * t + phase),
                              100 + 120 * row + 50 * std::cos(0.4f * t + phase));
        seen.detections.push_back({{place - 40.0f, place + 40.0f},
                                   (frame + i) % 9 ? 0.9f : 0.4f,
                                   static_cast<uint32_t>(i % 3)});
        for (uint32_t j = 0; j < embeddings; ++j)
            seen.embeddings.push_back(
                static_cast<int8_t>((static_cast<uint32_t>(i) * 37 + j * 11) % 201) - 100);
    }
    return seen;
}

double cpu_ms() {
    timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return 1e3 * double(now.tv_sec) + 1e-6 * double(now.tv_nsec);
}

// With trails, lines and zones: all the work for a frame.
TEST(Trackers, of_fifty_things_take_little_time_and_no_more_memory) {
    const Regions regions =
        regions_from(nlohmann::ordered_json::parse(
                         R"({"lines": [{"name": "door", "from": [600, 0], "to": [600, 720]},
                          {"name": "street", "from": [0, 350], "to": [1280, 350]}],
                "zones": [{"name": "yard", "corners": [[0, 0], [500, 0], [500, 400], [0, 400]]}]})"),
                     "zones.json");
    FrameTracker tracker({}, FrameTracker::Mode::track, regions);
    std::vector<Observations> frames;
    for (int i = 0; i < 720; ++i) frames.push_back(crowd(i));
    for (size_t i = 0; i < 480; ++i) tracker.step(frames[i]);
    EXPECT_GE(tracker.tracker().tracks().size(), 50u);
    EXPECT_GE(tracker.trails().size(), 50u);
    double best_ms = 1e9;
    const std::optional<uint64_t> before = allocations();
    for (size_t round = 0; round < 6; ++round) {
        const double begin = cpu_ms();
        for (size_t i = 0; i < 40; ++i) tracker.step(frames[480 + 40 * round + i]);
        best_ms = std::min(best_ms, (cpu_ms() - begin) / 40);
    }
    EXPECT_EQ(allocations(), before);
    EXPECT_FALSE(tracker.counter()->counts()[2].classes.empty()) << "somebody was counted";
    if (before) {
        EXPECT_GT(*before, 0u) << "they are counted";
        EXPECT_LT(best_ms, 0.3);
    }
    RecordProperty("ms_a_frame", std::to_string(best_ms));
    std::printf("%.3f ms a frame of fifty detections\n", best_ms);
}

TEST(Trackers, begin_anew_after_a_cut) {
    Tracker tracker;
    for (int i = 0; i < 10; ++i) step(tracker, 0.1 * i, {{{100, 100}}, {{300, 100}}, {{200, 300}}});
    // Another scene, in which an object happens to have the class and place of an earlier one.
    Numbers numbers;
    for (int i = 10; i < 13; ++i)
        numbers = step(tracker, 0.1 * i, {{{110, 100}}, {{400, 200}}, {{500, 300}}});
    EXPECT_EQ(numbers, (Numbers{4, 5, 6}));
    EXPECT_EQ(tracker.tracks().size(), 3u) << "nobody is waited for";
}

TEST(Trackers, count_nothing_as_found_again_in_another_scene) {
    Tracker tracker;
    const std::vector<Thing> three{{{100, 100}}, {{300, 100}}, {{200, 300}}};
    std::vector<Thing> four = three;
    four.push_back({{400, 400}});
    for (int i = 0; i < 10; ++i) step(tracker, 0.1 * i, four);
    step(tracker, 1.0, three);  // the fourth is hidden, and something is there after the cut
    step(tracker, 1.1, {{{400, 400}}, {{550, 100}}, {{550, 300}}});
    EXPECT_EQ(tracker.found_again(), 0u);
    EXPECT_EQ(tracker.tracks().size(), 3u) << "it was a cut";
}

TEST(Trackers, do_not_take_a_single_newcomer_for_a_cut) {
    Tracker tracker;
    for (int i = 0; i < 10; ++i) step(tracker, 0.1 * i, {{{100, 100}}, {{300, 100}}});
    step(tracker, 1.0, {{{500, 300}}});
    EXPECT_EQ(step(tracker, 1.1, {{{100, 100}}, {{500, 300}}})[0], 1u);
}

TEST(Trackers, begin_anew_with_one_new_thing_where_the_picture_has_been_cut) {
    for (const bool cut : {false, true}) {
        Tracker tracker;
        for (int i = 0; i < 10; ++i) step(tracker, 0.1 * i, {{{100, 100}}});
        Observations frame = seen(1.0, {{{400, 200}}});
        frame.cut = cut;
        tracker.step(frame);
        EXPECT_EQ(tracker.began_anew(), cut);
        frame = seen(1.1, {{{400, 200}}});
        frame.cut = cut;
        tracker.step(frame);
        EXPECT_FALSE(tracker.began_anew()) << "a flash, after which the same thing is there";
    }
}

TEST(FrameTrackers, end_trails_and_stays_in_zones_with_the_scene) {
    Regions regions;
    regions.all.push_back(
        {.name = "yard", .zone = true, .corners = {{0, 0}, {640, 0}, {640, 480}, {0, 480}}});
    FrameTracker tracker({}, FrameTracker::Mode::track, regions);
    auto inside = [&] {
        uint32_t sum = 0;
        for (const auto& of : tracker.counter()->counts()[0].classes) sum += of.inside;
        return sum;
    };
    auto see = [&](int i, const std::vector<Thing>& things) {
        Observations frame = seen(0.1 * i, things);
        frame.frame = static_cast<uint64_t>(i);
        frame.size = {640, 480};
        tracker.step(frame);
    };
    for (int i = 0; i < 10; ++i) see(i, {{{100, 100}}, {{300, 100}}, {{200, 300}}});
    EXPECT_EQ(inside(), 3u);
    EXPECT_EQ(tracker.trails().size(), 3u);
    see(10, {{{400, 200}}, {{500, 300}}});
    EXPECT_EQ(inside(), 0u) << "the new ones have no number yet";
    EXPECT_TRUE(tracker.trails().empty());
    see(11, {{{400, 200}}, {{500, 300}}});
    EXPECT_EQ(inside(), 2u);
    EXPECT_EQ(tracker.trails().size(), 2u);
}

TEST(Trackers, do_not_take_one_that_goes_and_others_that_come_for_a_cut) {
    Tracker tracker;
    for (int i = 0; i < 10; ++i) step(tracker, 0.1 * i, {{{100, 100}}, {{300, 100}}});
    Numbers numbers;
    for (int i = 10; i < 13; ++i)
        numbers = step(tracker, 0.1 * i, {{{100, 100}}, {{500, 300}}, {{400, 400}}});
    EXPECT_EQ(numbers, (Numbers{1, 3, 4}));
}

TEST(Trackers, give_no_number_to_what_peeps_out_of_something_hidden) {
    Tracker tracker;
    for (int i = 0; i < 10; ++i) step(tracker, 0.1 * i, {{{100, 100}, 0.9f, 0, 1}});
    for (int i = 10; i < 14; ++i) {
        Observations frame = seen(0.1 * i, {{{100, 100}, 0.9f, 0, 2}});
        frame.detections[0].box = {104, 82, 119, 95};  // a corner, with another embedding
        tracker.step(frame);
    }
    EXPECT_EQ(tracker.numbers(), 1u);
}

TEST(Trackers, know_what_comes_back_beside_its_place_by_its_looks) {
    for (const auto& [embedding, number] : {std::pair{1, 1u}, std::pair{2, 0u}}) {
        Tracker tracker;  // at its new place it hardly overlaps the old one
        for (int i = 0; i < 10; ++i) step(tracker, 0.1 * i, {{{100, 100}, 0.9f, 0, 1}});
        step(tracker, 1.0, {});
        EXPECT_EQ(step(tracker, 1.1, {{{135, 100}, 0.9f, 0, embedding}}), (Numbers{number}));
    }
}

TEST(Trackers, remember_how_large_a_thing_was_that_something_has_come_before) {
    for (const auto& [x, number] : {std::pair{126.0f, 1u}, std::pair{136.0f, 0u}}) {
        Tracker tracker;
        for (int i = 0; i < 13; ++i) {
            Observations frame = seen(0.1 * i, {{{100, 100}}});
            frame.detections[0].box.max.x -= std::max(0.0f, 10 * static_cast<float>(i - 9));
            tracker.step(frame);
        }
        step(tracker, 1.3, {});
        Observations frame = seen(1.4, {{{x, 100}}});  // a part of it, on the other side
        frame.detections[0].box = {x - 5, 80, x + 5, 120};
        EXPECT_EQ(tracker.step(frame)[0], number) << x;
    }
}

TEST(Trackers, number_what_is_too_large_to_be_the_rest_of_something_hidden) {
    Tracker tracker;
    for (int i = 0; i < 10; ++i) step(tracker, 0.1 * i, {{{100, 100}, 0.9f, 0, 1}});
    for (int i = 10; i < 13; ++i) {
        Observations frame = seen(0.1 * i, {{{100, 100}, 0.9f, 0, 1}});
        frame.detections[0].box = {82, 85, 118, 115};  // two thirds of it
        frame.embeddings[1] = -127;                    // the opposite of its looks
        tracker.step(frame);
    }
    EXPECT_EQ(tracker.numbers(), 2u);
}

TEST(Trackers, do_not_take_a_few_newcomers_among_many_that_come_back_for_a_cut) {
    Tracker tracker;
    const std::vector<Thing> near{{{100, 100}}, {{200, 100}}, {{300, 100}}},
        far{{{100, 400}}, {{200, 400}}, {{300, 400}}};
    std::vector<Thing> all = near;
    all.insert(all.end(), far.begin(), far.end());
    for (int i = 0; i < 10; ++i) step(tracker, 0.1 * i, all);
    step(tracker, 1.0, near);
    std::vector<Thing> then{near[0], {{500, 100}}, {{500, 400}}};
    then.insert(then.end(), far.begin(), far.end());
    const Numbers numbers = step(tracker, 1.1, then);
    EXPECT_EQ(numbers[0], 1u);
    EXPECT_EQ(numbers[3], 4u);
}

TEST(Trackers, learn_how_alike_strangers_look_from_what_does_not_overlap) {
    for (const auto& [apart, found] : {std::pair{25.0f, 1u}, std::pair{60.0f, 0u}}) {
        Tracker tracker;
        for (int i = 0; i < 100; ++i)  // two that look the same; the third does not count for long
            step(tracker, 0.1 * i,
                 {{{100, 100}, 0.9f, 0, 1},
                  {{100 + apart, 100}, 0.9f, 0, 1},
                  {{400, 400}, i < 5 ? 0.9f : 0.3f, 0, 3}});
        step(tracker, 10.0, {{{100, 100}, 0.9f, 0, 1}});
        Observations frame = seen(10.1, {{{100, 100}, 0.9f, 0, 1}, {{435, 400}, 0.9f, 0, 3}});
        frame.embeddings[16 + 3] = 100;  // a cosine of 0.8 to what it was
        frame.embeddings[16 + 4] = 75;
        tracker.step(frame);
        EXPECT_EQ(tracker.found_again(), found) << apart;
    }
}

TEST(Trackers, call_a_thing_what_it_was_called_of_late) {
    Tracker tracker;
    for (int i = 0; i < 40; ++i) step(tracker, 0.1 * i, {{{100, 100}, 0.9f, 7, 1}});
    for (int i = 40; i < 50; ++i) step(tracker, 0.1 * i, {{{100, 100}, 0.9f, 8, 1}});
    EXPECT_EQ(tracker.numbers(), 1u);
    ASSERT_EQ(tracker.tracks().size(), 1u);
    EXPECT_EQ(tracker.tracks()[0].label, 8u);
}

TEST(Trackers, do_not_let_a_lost_thing_grow) {
    Tracker tracker;
    for (int i = 0; i < 10; ++i) {
        Observations frame = seen(0.1 * i, {{{100, 100}}});
        const auto half = 20 + 2 * static_cast<float>(i);
        frame.detections[0].box = {100 - half, 100 - half, 100 + half, 100 + half};
        tracker.step(frame);
    }
    for (int i = 10; i < 20; ++i) step(tracker, 0.1 * i, {});
    ASSERT_EQ(tracker.tracks().size(), 1u);
    EXPECT_LT(tracker.tracks()[0].motion.box().size().x, 86) << "76 when it was seen last";
}

TEST(FrameTrackers, draw_no_trail_of_what_is_not_seen) {
    FrameTracker tracker({}, FrameTracker::Mode::track, {});
    for (int i = 0; i < 5; ++i) tracker.step(seen(0.1 * i, {{{100, 100}}}));
    ASSERT_EQ(tracker.trails().size(), 1u);
    const size_t points = tracker.trails()[0].points.size();
    for (int i = 5; i < 8; ++i) tracker.step(seen(0.1 * i, {}));
    EXPECT_EQ(tracker.trails()[0].points.size(), points);
}

}  // namespace
}  // namespace saccade
