#include "app/serve/lecture/lecture_desk.h"

#include <gtest/gtest.h>

#include <thread>

#include "tests/app/quiet_log.h"
#include "tests/models/files/temp_folder.h"

namespace saccade {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

// A desk, with a script in the place of the program, and with the test in the place of the loop.
class LectureDeskTest : public ::testing::Test {
protected:
    // The script's arguments are those of `saccade lecture`: $2 is the picture, $4 the folder.
    std::string script(const std::string& body) const {
        const auto path = temp_.write("program", "#!/bin/sh\n" + body);
        std::filesystem::permissions(path, std::filesystem::perms::owner_all);
        return path.string();
    }
    // A page that names the models and the picture.
    std::string page_maker() const {
        return script(
            "mkdir -p \"$4\" && echo \"$(cat \"$2\") $*\" > \"$4/$(basename "
            "\"$4\")-lecture.html\"");
    }
    // The frame that the desk asks the loop for; empty if it asks for none.
    std::string asked_for(LectureDesk& desk) const {
        Events events;
        desk.add_events(events, now_);
        const std::vector<MakePage> pages = events.take<MakePage>();
        EXPECT_LE(pages.size(), 1u);
        if (pages.empty()) return "";
        EXPECT_TRUE(pages[0].lecture);
        return pages[0].file;
    }
    // The loop writes it.
    void give(const std::string& file) {
        std::ofstream(file) << "pixels";
        status_.bare_file = file;
    }
    void finish(LectureDesk& desk) {
        for (int i = 0; i < 2000 && desk.busy(); ++i) {
            desk.follow(status_, wishes_, now_);
            std::this_thread::sleep_for(5ms);
        }
        EXPECT_FALSE(desk.busy());
    }

    const QuietLog quiet_;
    TempFolder temp_;
    LectureTurn turn_;
    Status status_;
    Wishes wishes_;
    Clock::time_point now_ = Clock::now();
};

TEST_F(LectureDeskTest, makes_a_page_of_the_frame_with_the_models_in_use) {
    LectureDesk desk(turn_, false, page_maker());
    EXPECT_EQ(asked_for(desk), "") << "nobody has asked";
    status_.classifier.name = "a-classifier";
    desk.ask(7);
    EXPECT_TRUE(desk.busy());
    const std::string frame = asked_for(desk);
    give(frame);
    EXPECT_EQ(asked_for(desk), "") << "once";
    EXPECT_TRUE(desk.follow(status_, wishes_, now_));
    desk.ask(8);
    EXPECT_EQ(desk.news().asked_by, 7u) << "one at a time";
    finish(desk);
    EXPECT_EQ(desk.news().error, "");
    EXPECT_EQ(desk.news().number, 1u);
    ASSERT_TRUE(desk.news().page);
    EXPECT_TRUE(desk.news().page->starts_with("pixels lecture ")) << *desk.news().page;
    EXPECT_NE(desk.news().page->find("--detector none --classifier a-classifier --captioner none"),
              std::string::npos)
        << *desk.news().page;
    EXPECT_FALSE(std::filesystem::exists(frame)) << "pictures do not stay on the disk";
    EXPECT_TRUE(std::filesystem::exists(std::filesystem::path(frame).parent_path()));
}

TEST_F(LectureDeskTest, says_in_one_line_why_there_is_none_and_keeps_the_page_before) {
    LectureDesk desk(
        turn_, false,
        script(
            "[ -e \"$0.bad\" ] && { echo 'saccade: first'; echo 'saccade: no room'; exit 1; } >&2\n"
            "mkdir -p \"$4\" && echo good > \"$4/$(basename \"$4\")-lecture.html\""));
    desk.ask(1);
    give(asked_for(desk));
    finish(desk);
    temp_.write("program.bad", "");
    desk.ask(1);
    give(asked_for(desk));
    finish(desk);
    EXPECT_EQ(desk.news().error, "no room");
    EXPECT_EQ(desk.news().number, 1u);
    EXPECT_EQ(*desk.news().page, "good\n");
}

TEST_F(LectureDeskTest, waits_for_the_desk_of_another_source) {
    LectureDesk first(turn_, true, page_maker());
    {
        LectureDesk second(turn_, true, page_maker());
        const std::string frame = asked_for(second);
        EXPECT_NE(frame, "") << "a lecture that is wanted at the start";
        EXPECT_EQ(asked_for(first), "");
        EXPECT_EQ(first.news().making, "another lecture is being made");
        give(frame);
        second.follow(status_, wishes_, now_);
        EXPECT_EQ(asked_for(first), "");
    }
    EXPECT_NE(asked_for(first), "") << "a source that is gone has no turn";
}

TEST_F(LectureDeskTest, gives_its_turn_away_when_no_frame_comes) {
    LectureDesk desk(turn_, true, page_maker());
    EXPECT_NE(asked_for(desk), "");
    EXPECT_TRUE(desk.follow(status_, wishes_, now_)) << "it says what it waits for";
    EXPECT_FALSE(desk.follow(status_, wishes_, now_ + LectureDesk::frame_time - 1s));
    EXPECT_TRUE(desk.follow(status_, wishes_, now_ + LectureDesk::frame_time + 1s));
    EXPECT_EQ(desk.news().error, "the source gives no picture; ask again when it does");
    EXPECT_EQ(turn_.holder, nullptr);
    desk.ask(1);
    EXPECT_NE(asked_for(desk), "");
}

TEST(LectureNewsTest, is_an_object_for_the_page) {
    EXPECT_EQ(json_of({.number = 2, .asked_by = 3, .error = "a \"b\""}).dump(),
              R"({"asked_by":3,"error":"a \"b\"","for_class":false,"making":"","number":2})");
}

}  // namespace
}  // namespace saccade
