#include "app/serve/health.h"

#include <gtest/gtest.h>

namespace saccade {
namespace {

using namespace std::chrono_literals;

constexpr Pulse::Clock::time_point now{1000s};

Health health(const Pulse& pulse, std::chrono::milliseconds since_beat = 0ms) {
    return health_of(pulse, now - since_beat, now, 10);
}

TEST(HealthTest, is_good_while_frames_come) {
    EXPECT_TRUE(health({.newest = 7, .captured = now - 10s}).good);
    EXPECT_EQ(health({.newest = 7, .captured = now - 1s}).line, "ok");
    EXPECT_TRUE(health({.newest = 0, .captured = now - 9s}).good) << "it has just begun";
}

TEST(HealthTest, is_bad_when_the_newest_frame_is_old_though_the_loop_answers) {
    const Health late = health({.newest = 7, .captured = now - 10100ms});
    EXPECT_FALSE(late.good);
    EXPECT_EQ(late.line, "the newest frame is 10 s old");
    const Health lost =
        health({.newest = 7, .captured = now - 75s, .waits_for = "the source gives none"});
    EXPECT_EQ(lost.line, "the newest frame is 75 s old: the source gives none");
    EXPECT_EQ(health({.newest = 0, .captured = now - 11s}).line, "no frame for 11 s");
}

TEST(HealthTest, is_good_while_the_picture_is_meant_to_stand_still) {
    const Pulse frozen{.newest = 7, .captured = now - 75s, .rests = "the picture is frozen"};
    EXPECT_TRUE(health(frozen).good);
    EXPECT_EQ(health(frozen).line, "ok: the picture is frozen");
    const Health hung = health(frozen, 10100ms);
    EXPECT_FALSE(hung.good);
    EXPECT_EQ(hung.line, "the loop has not answered for 10 s");
    EXPECT_TRUE(health(frozen, 10s).good);
}

TEST(HealthTest, a_pulse_knows_the_age_of_its_frame) {
    EXPECT_DOUBLE_EQ(Pulse({.newest = 1, .captured = now - 2500ms}).age(now), 2.5);
}

}  // namespace
}  // namespace saccade
