#include "gpu/recorder/measure.h"

#include <algorithm>
#include <limits>

namespace saccade {

double microseconds_of(Device& device, const std::function<void(Commands&)>& work) {
    constexpr int runs = 4, times = 4;  // the first run also wakes the device
    Arena scratch(device, "measuring");
    Commands c(device, scratch, "measuring");
    c.begin();
    {
        auto all = c.scope("all");
        for (int i = 0; i < times; ++i) {
            auto once = c.scope("once");  // gives its memory back: the next waits for it
            work(c);
        }
    }
    c.end();
    double least = std::numeric_limits<double>::infinity();
    for (int i = 0; i < runs; ++i) {
        c.run();
        least = std::min(least, total_ms(c.times()));
    }
    return least * 1e3 / times;
}

}  // namespace saccade
