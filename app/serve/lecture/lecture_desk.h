#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

#include "app/live/state/events.h"
#include "app/live/state/status.h"
#include "app/live/state/wishes.h"
#include "app/live/view/page_maker.h"
#include "app/serve/lecture/lecture_news.h"

namespace saccade {

// One lecture is made at a time, of all sources: whose turn it is.
struct LectureTurn {
    const void* holder = nullptr;
};

// Makes lectures of a source's newest frame when viewers ask for them: the loop writes the frame to
// a file, and `saccade lecture` runs beside it. Pages are kept in memory, the newest one only.
class LectureDesk {
public:
    using Clock = std::chrono::steady_clock;

    // For a class, the program itself asks for the first one. `program` makes it; empty: this one.
    LectureDesk(LectureTurn& turn, bool for_class, std::string program = "");
    ~LectureDesk();
    LectureDesk(const LectureDesk&) = delete;
    LectureDesk& operator=(const LectureDesk&) = delete;

    // A viewer asks. While one is being made, that changes nothing.
    void ask(uint32_t viewer);
    // Before a step of the loop: asks it for the frame.
    void add_events(Events& events, Clock::time_point now);
    // After it. True if there are news since the last time.
    bool follow(const Status& status, const Wishes& wishes, Clock::time_point now);

    bool busy() const { return !news_.making.empty(); }
    const LectureNews& news() const { return news_; }

    static constexpr std::chrono::seconds frame_time{30};  // that the loop may take for the frame

private:
    void end(std::string error);
    void take(const std::string& page);

    LectureTurn& turn_;
    PageMaker maker_{PageMaker::Opens::nowhere};
    LectureNews news_, told_;
    bool asked_ = false, waits_for_frame_ = false;
    std::filesystem::path folder_;  // a temporary one; empty before the first frame
    std::string frame_;
    uint64_t frames_ = 0;
    Clock::time_point since_{};
};

}  // namespace saccade
