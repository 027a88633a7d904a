#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace saccade {

// The last values of something that is measured again and again, oldest first.
class Rolling {
public:
    static constexpr size_t most = 120;

    void add(float value) {
        values_[(first_ + count_) % most] = value;
        if (count_ < most)
            ++count_;
        else
            first_ = (first_ + 1) % most;
    }
    size_t count() const { return count_; }
    float operator[](size_t i) const { return values_[(first_ + i) % most]; }
    float last() const { return count_ ? (*this)[count_ - 1] : 0; }
    float mean() const {
        float sum = 0;
        for (size_t i = 0; i < count_; ++i) sum += (*this)[i];
        return count_ ? sum / float(count_) : 0;
    }

private:
    std::array<float, most> values_{};
    size_t first_ = 0, count_ = 0;
};

// One for each stage of a frame, in the order in which they were first heard of.
struct StageTimes {
    struct Stage {
        std::string name;
        Rolling ms;
    };
    std::vector<Stage> stages;

    void add(std::string_view name, double ms) {
        for (Stage& stage : stages)
            if (stage.name == name) return stage.ms.add(float(ms));
        stages.push_back({std::string(name), {}});
        stages.back().ms.add(float(ms));
    }
};

}  // namespace saccade
