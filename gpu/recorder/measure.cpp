#include "gpu/recorder/measure.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>

namespace saccade {

namespace {

// Some work, recorded `times` times in one command buffer.
class Recording {
public:
    Recording(Device& device, const Work& work, int times)
        : scratch_(device, "measuring"), commands_(device, scratch_, "measuring"), times_(times) {
        commands_.begin();
        {
            auto all = commands_.scope("all");
            for (int i = 0; i < times; ++i) {
                auto once = commands_.scope(
                    "once");  // frees its scratch memory: the next repetition waits for it
                work(commands_);
            }
        }
        commands_.end();
    }
    // Microseconds for each repetition.
    double run() {
        commands_.run();
        return total_ms(commands_.times()) * 1e3 / times_;
    }

private:
    Arena scratch_;
    Commands commands_;
    int times_;
};

}  // namespace

double microseconds_of(Device& device, const Work& work) {
    constexpr int runs = 4, times = 4;  // the first run also raises the clock
    Recording recording(device, work, times);
    double least = std::numeric_limits<double>::infinity();
    for (int i = 0; i < runs; ++i) least = std::min(least, recording.run());
    return least;
}

std::vector<double> settled_microseconds_of(Device& device, std::span<const Work> ways) {
    using Clock = std::chrono::steady_clock;
    const bool wakes = !device.is_cpu();  // software Vulkan needs no warm-up
    const int times = wakes ? 16 : 1, runs = wakes ? 11 : 3;
    const auto busy = std::chrono::milliseconds(wakes ? 500 : 0);

    std::vector<std::unique_ptr<Recording>> recordings;
    for (const Work& work : ways)
        recordings.push_back(std::make_unique<Recording>(device, work, times));
    for (const auto end = Clock::now() + busy; !recordings.empty() && Clock::now() < end;)
        for (const auto& recording : recordings) recording->run();

    std::vector<std::vector<double>> taken(recordings.size());
    for (int i = 0; i < runs; ++i)
        for (size_t way = 0; way < recordings.size(); ++way)
            taken[way].push_back(recordings[way]->run());
    std::vector<double> medians;
    for (std::vector<double>& of_a_way : taken) {
        std::ranges::nth_element(of_a_way, of_a_way.begin() + runs / 2);
        medians.push_back(of_a_way[static_cast<size_t>(runs / 2)]);
    }
    return medians;
}

}  // namespace saccade
