#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace saccade {

// The lecture that viewers may open, and what becomes of the next one.
struct LectureNews {
    uint64_t number = 0;      // of the page, counted from 1; 0: there is none yet
    std::string making = {};  // what is being waited for; empty: nothing
    bool for_class = false;   // many follow it together; only the teacher asks for the next
    uint32_t asked_by = 0;    // the viewer who asked for the last one; 0: the program itself
    std::string error = {};   // why there is no newer page; one line
    std::shared_ptr<const std::string> page = {};  // HTML; null before the first

    bool operator==(const LectureNews&) const = default;
};

// For pages: all but the page itself.
nlohmann::json json_of(const LectureNews& news);

}  // namespace saccade
