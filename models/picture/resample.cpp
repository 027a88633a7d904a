#include "models/picture/resample.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>
#include <string>

#include "gpu/core/error.h"

// Where a filter's border coincides with a pixel's, the last bit decides which pixels it reads.
// Fused multiply-adds (GCC's default where the processor has them, as on arm64) would give other
// pixels than Pillow and torchvision.
#if defined(__clang__)
#pragma clang fp contract(off)
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=off")
#endif

namespace saccade {
namespace {

double sinc(double x) {
    if (x == 0.0) return 1.0;
    const double angle = x * std::numbers::pi;
    return std::sin(angle) / angle;
}

// The radius of each filter, in source pixels when enlarging.
double reach(Filter filter) {
    switch (filter) {
        case Filter::box:
            return 0.5;
        case Filter::bilinear:
        case Filter::hamming:
            return 1.0;
        case Filter::bicubic:
            return 2.0;
        case Filter::lanczos:
            return 3.0;
        case Filter::nearest:
            break;
    }
    return 0.0;
}

double response(Filter filter, double x) {
    const double distance = std::abs(x);
    switch (filter) {
        case Filter::box:
            return x > -0.5 && x <= 0.5 ? 1.0 : 0.0;  // half open, so no pixel counts twice
        case Filter::bilinear:
            return distance < 1.0 ? 1.0 - distance : 0.0;
        case Filter::hamming: {
            if (distance >= 1.0) return 0.0;
            // Pillow has these constants as floats; their rounding is part of the filter.
            const double window = 0.54f + 0.46f * std::cos(distance * std::numbers::pi);
            return sinc(distance) * window;
        }
        case Filter::bicubic: {
            constexpr double a = -0.5;
            const double d = distance;
            if (d < 1.0) return ((a + 2.0) * d - (a + 3.0)) * d * d + 1.0;
            if (d < 2.0) return (((d - 5.0) * d + 8.0) * d - 4.0) * a;
            return 0.0;
        }
        case Filter::lanczos:
            return x >= -3.0 && x < 3.0 ? sinc(x) * sinc(x / 3.0) : 0.0;
        case Filter::nearest:
            break;
    }
    return 0.0;
}

int32_t to_fixed(double weight, int bits) {
    const double scaled = weight * (1 << bits);
    return static_cast<int32_t>(scaled + (scaled < 0.0 ? -0.5 : 0.5));
}

// One axis of a resize, before rounding.
class Axis {
public:
    Axis(uint32_t in_size, uint32_t out_size, Filter filter)
        : in_size_(in_size),
          out_size_(out_size),
          filter_(filter),
          scale_(static_cast<double>(in_size) / out_size),
          stretch_(std::max(scale_, 1.0)),
          support_(reach(filter) * stretch_),
          copies_(filter == Filter::nearest || in_size == out_size) {
        if (filter != Filter::nearest || in_size == out_size) return;
        // Pillow accumulates steps with their rounding errors, which decide where a centre
        // coincides with a border between two pixels.
        double at = scale_ * 0.5;
        for (uint32_t i = 0; i < out_size; ++i, at += scale_)
            nearest_.push_back(std::min(static_cast<uint32_t>(at), in_size - 1));
    }

    // Source pixels are copied without weights.
    bool copies() const { return copies_; }

    uint32_t first(uint32_t output) const {
        if (in_size_ == out_size_) return output;
        if (copies_) return nearest_[output];
        // The + 0.5 and truncation round to the nearest pixel border.
        return static_cast<uint32_t>(std::max(centre(output) - support_ + 0.5, 0.0));
    }

    uint32_t count(uint32_t output) const {
        if (copies_) return 1;
        const double end = std::min(centre(output) + support_ + 0.5, static_cast<double>(in_size_));
        return static_cast<uint32_t>(end) - first(output);
    }

    // The weights of one output, with sum 1.
    void weigh(uint32_t output, std::vector<double>& weights) const {
        weights.resize(count(output));
        const double start = first(output);
        double sum = 0.0;
        for (size_t k = 0; k < weights.size(); ++k) {
            const double offset = static_cast<double>(k) + start - centre(output) + 0.5;
            weights[k] = response(filter_, offset * (1.0 / stretch_));
            sum += weights[k];
        }
        if (sum != 0.0)
            for (double& weight : weights) weight /= sum;
    }

private:
    double centre(uint32_t output) const { return (output + 0.5) * scale_; }

    uint32_t in_size_, out_size_;
    Filter filter_;
    double scale_, stretch_, support_;
    bool copies_;
    std::vector<uint32_t> nearest_;  // source of each output, for Filter::nearest
};

// The precision of torchvision's weights, one for the whole axis before any crop.
int bits_of_torchvision(const Axis& axis, uint32_t out_size) {
    double largest = 0.0;
    std::vector<double> weights;
    for (uint32_t i = 0; i < out_size; ++i) {
        axis.weigh(i, weights);
        for (double weight : weights) largest = std::max(largest, weight);
    }
    int bits = 0;
    while (bits < weight_bits && to_fixed(largest, bits + 1) < (1 << 15)) ++bits;
    return bits;
}

}  // namespace

Taps make_taps(uint32_t in_size, uint32_t out_size, Filter filter, Rounding rounding) {
    return make_taps(in_size, out_size, filter, 0, out_size, rounding);
}

Taps make_taps(uint32_t in_size, uint32_t out_size, Filter filter, int64_t crop_first,
               uint32_t crop_count, Rounding rounding) {
    if (in_size == 0 || out_size == 0 || crop_count == 0)
        throw Error("cannot resample " + std::to_string(in_size) + " pixels to " +
                    std::to_string(out_size) + " and keep " + std::to_string(crop_count) +
                    " of them; every side must be at least 1");

    const Axis axis(in_size, out_size, filter);
    auto exists = [&](uint32_t i) {
        return crop_first + i >= 0 && crop_first + i < static_cast<int64_t>(out_size);
    };

    Taps taps;
    taps.out_size = crop_count;
    taps.max_taps = 1;
    taps.first.assign(crop_count, 0);
    taps.count.assign(crop_count, 0);
    for (uint32_t i = 0; i < crop_count; ++i) {
        if (!exists(i)) continue;
        const auto output = static_cast<uint32_t>(crop_first + i);
        taps.first[i] = axis.first(output);
        taps.count[i] = axis.count(output);
        taps.max_taps = std::max(taps.max_taps, taps.count[i]);
    }

    const bool coarse = rounding == Rounding::torchvision && !axis.copies() &&
                        (filter == Filter::bilinear || filter == Filter::bicubic);
    const int bits = coarse ? bits_of_torchvision(axis, out_size) : weight_bits;
    taps.weights.assign(static_cast<size_t>(crop_count) * taps.max_taps, 0);
    std::vector<double> exact;
    for (uint32_t i = 0; i < crop_count; ++i) {
        if (!exists(i)) continue;
        int32_t* weights = &taps.weights[static_cast<size_t>(i) * taps.max_taps];
        if (axis.copies()) {
            weights[0] = 1 << weight_bits;
            continue;
        }
        axis.weigh(static_cast<uint32_t>(crop_first + i), exact);
        for (size_t k = 0; k < exact.size(); ++k)
            weights[k] = to_fixed(exact[k], bits) * (1 << (weight_bits - bits));
    }
    return taps;
}

Taps make_blurred_taps(uint32_t in_size, uint32_t filled, uint32_t out_size, double blur) {
    const auto reach = static_cast<int64_t>(std::ceil(3 * blur));
    std::vector<double> bell;
    for (int64_t k = -reach; k <= reach; ++k)
        bell.push_back(blur > 0 ? std::exp(-0.5 * double(k * k) / (blur * blur)) : 1.0);
    const double total = std::accumulate(bell.begin(), bell.end(), 0.0);
    auto reflected = [&](int64_t at) {
        const int64_t last = int64_t(in_size) - 1;
        if (at < 0) at = -at;
        if (at > last) at = 2 * last - at;
        return static_cast<uint32_t>(std::clamp<int64_t>(at, 0, last));
    };

    std::vector<std::map<uint32_t, double>> all(out_size);
    Taps taps;
    taps.out_size = out_size;
    taps.max_taps = 1;
    taps.floats = true;
    for (uint32_t i = 0; i < out_size; ++i) {
        const double at = std::max((i + 0.5) * in_size / out_size - 0.5, 0.0);
        const auto before = static_cast<uint32_t>(at);
        const uint32_t after = std::min(before + 1, in_size - 1);
        for (const auto& [middle, share] :
             {std::pair{before, 1.0 - (at - before)}, std::pair{after, at - before}})
            for (int64_t k = -reach; k <= reach; ++k) {
                const uint32_t from = reflected(int64_t(middle) + k);
                if (from < filled) all[i][from] += share * bell[size_t(k + reach)] / total;
            }
        if (all[i].empty()) continue;
        const uint32_t span = all[i].rbegin()->first - all[i].begin()->first + 1;
        taps.max_taps = std::max(taps.max_taps, span);
    }
    taps.weights.resize(size_t(out_size) * taps.max_taps);
    for (uint32_t i = 0; i < out_size; ++i) {
        const bool none = all[i].empty();
        taps.first.push_back(none ? 0 : all[i].begin()->first);
        taps.count.push_back(none ? 0 : all[i].rbegin()->first - taps.first.back() + 1);
        for (const auto& [from, weight] : all[i])
            taps.weights[size_t(i) * taps.max_taps + from - taps.first.back()] =
                std::bit_cast<int32_t>(static_cast<float>(weight));
    }
    return taps;
}

}  // namespace saccade
