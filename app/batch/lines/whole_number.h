#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>

namespace saccade {

// A number in a file that this program cannot have written.
struct BadNumber {};

// An integer from 0 to `most`, or BadNumber. JSON may hold any number: 1e300, -1, 0.5.
inline uint64_t whole_number(const nlohmann::ordered_json& json, uint64_t most = UINT64_MAX) {
    if (!json.is_number_integer()) throw BadNumber();
    if (!json.is_number_unsigned() && json.get<int64_t>() < 0) throw BadNumber();
    if (json.get<uint64_t>() > most) throw BadNumber();
    return json.get<uint64_t>();
}

constexpr uint64_t most_pixels_a_side = 1 << 20;
constexpr uint64_t most_labels = 1 << 20;

}  // namespace saccade
