#pragma once

#include <cstring>
#include <vector>

#include "shaders/draw/params.h"

namespace saccade {

// The plates of a list that a kernel has made.
inline std::vector<params::Plate> plates_in(const std::vector<uint32_t>& list) {
    std::vector<params::Plate> plates(list[0]);
    if (!plates.empty())
        std::memcpy(plates.data(), &list[params::plate_list_header],
                    plates.size() * sizeof(params::Plate));
    return plates;
}

}  // namespace saccade
