#include "app/serve/lecture/lecture_desk.h"

#include <spdlog/spdlog.h>
#include <stdlib.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "gpu/core/error.h"

namespace saccade {

namespace {

constexpr const char* waits_for_turn = "another lecture is being made";
constexpr const char* waits_for_frame = "the frame is being written";
constexpr const char* is_made = "the lecture is being made";

std::filesystem::path temporary_folder() {
    std::string name = (std::filesystem::temp_directory_path() / "saccade-lecture-XXXXXX").string();
    if (!::mkdtemp(name.data()))
        throw Error("there is no room for a lecture in " +
                    std::filesystem::temp_directory_path().string() +
                    "; make some, or set TMPDIR to another folder");
    return name;
}

}  // namespace

nlohmann::json json_of(const LectureNews& news) {
    return {{"number", news.number},
            {"making", news.making},
            {"for_class", news.for_class},
            {"asked_by", news.asked_by},
            {"error", news.error}};
}

LectureDesk::LectureDesk(LectureTurn& turn, bool for_class, std::string program) : turn_(turn) {
    maker_.use_program(std::move(program));
    news_.for_class = for_class;
    if (for_class) ask(0);
}

LectureDesk::~LectureDesk() {
    if (turn_.holder == this) turn_.holder = nullptr;
    std::error_code none;
    if (!folder_.empty()) std::filesystem::remove_all(folder_, none);
}

void LectureDesk::ask(uint32_t viewer) {
    if (busy()) return;
    asked_ = true;
    news_.asked_by = viewer;
    news_.making = waits_for_turn;
    news_.error.clear();
}

void LectureDesk::add_events(Events& events, Clock::time_point now) try {
    if (!asked_ || turn_.holder) return;
    asked_ = false;
    if (folder_.empty()) folder_ = temporary_folder();
    frame_ = (folder_ / ("frame-" + std::to_string(++frames_) + ".png")).string();
    turn_.holder = this;
    waits_for_frame_ = true;
    since_ = now;
    news_.making = waits_for_frame;
    events.add(MakePage{.lecture = true, .file = frame_});
} catch (const Error& error) {
    end(error.what());
}

bool LectureDesk::follow(const Status& status, const Wishes& wishes, Clock::time_point now) {
    if (waits_for_frame_ && status.bare_file == frame_) {
        waits_for_frame_ = false;
        news_.making = is_made;
        maker_.start(frame_, models_for_page(status, wishes), true);
        if (!maker_.busy()) end("the program that makes lectures does not start");
    } else if (waits_for_frame_ && now - since_ > frame_time) {
        end("the source gives no picture; ask again when it does");
    } else if (const std::optional<PageMaker::Made> made = maker_.made()) {
        if (!made->page.empty())
            take(made->page);
        else
            end(made->error.empty() ? "the lecture could not be made; the log may say why"
                                    : made->error);
    }
    return std::exchange(told_, news_) != news_;
}

void LectureDesk::take(const std::string& page) {
    std::ifstream file(page, std::ios::binary);
    std::string html{std::istreambuf_iterator<char>(file), {}};
    if (html.empty()) return end("the lecture was made, but cannot be read from " + page);
    news_.page = std::make_shared<const std::string>(std::move(html));
    ++news_.number;
    end("");
}

void LectureDesk::end(std::string error) {
    if (!error.empty()) spdlog::error("lecture: {}", error);
    news_.error = std::move(error);
    news_.making.clear();
    waits_for_frame_ = false;
    if (turn_.holder == this) turn_.holder = nullptr;
    // The picture of a room is not left lying about.
    std::error_code none;
    if (folder_.empty()) return;
    for (const auto& entry : std::filesystem::directory_iterator(folder_, none)) {
        std::error_code kept;
        std::filesystem::remove_all(entry.path(), kept);
    }
}

}  // namespace saccade
