#pragma once

#include <cstdint>

namespace saccade {

// A pseudorandom generator (SplitMix64) whose numbers are the same on every machine.
class Random {
public:
    explicit Random(uint64_t seed) : state_(seed) {}
    // An independent sequence for item n of a seed.
    Random(uint64_t seed, uint64_t n) : state_(mix(seed) ^ mix(n + 0x632be59bd9b4e019)) {}

    void skip(uint64_t count) { state_ += count * step; }
    uint64_t next() { return mix(state_ += step); }
    // 0 .. count - 1
    uint32_t below(uint32_t count) { return static_cast<uint32_t>((next() >> 32) * count >> 32); }
    double uniform(double low = 0, double high = 1) {
        return low + (high - low) * static_cast<double>(next() >> 11) * 0x1p-53;
    }
    bool chance(double probability) { return uniform() < probability; }

private:
    static constexpr uint64_t step = 0x9e3779b97f4a7c15;
    static uint64_t mix(uint64_t x) {
        x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
        x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
        return x ^ (x >> 31);
    }

    uint64_t state_;
};

}  // namespace saccade
