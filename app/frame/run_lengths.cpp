#include "app/frame/run_lengths.h"

namespace saccade {

std::string coco_counts(std::span<const uint32_t> runs) {
    std::string text;
    for (size_t i = 0; i < runs.size(); ++i) {
        int64_t value = runs[i];
        if (i > 2) value -= runs[i - 2];
        for (bool more = true; more;) {
            int64_t letter = value & 0x1f;
            value >>= 5;  // keeps the sign
            more = (letter & 0x10) ? value != -1 : value != 0;
            if (more) letter |= 0x20;
            text += static_cast<char>(letter + '0');
        }
    }
    return text;
}

}  // namespace saccade
