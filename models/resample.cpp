#include "models/resample.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "gpu/error.h"

namespace saccade {
namespace {

constexpr int32_t weight_one = 1 << weight_bits;

double sinc(double x) {
    if (x == 0.0) return 1.0;
    const double angle = x * std::numbers::pi;
    return std::sin(angle) / angle;
}

// How far each filter reaches, in source pixels when enlarging.
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
            return x > -0.5 && x <= 0.5 ? 1.0 : 0.0;  // half open, so none counts twice
        case Filter::bilinear:
            return distance < 1.0 ? 1.0 - distance : 0.0;
        case Filter::hamming: {
            if (distance >= 1.0) return 0.0;
            // Pillow writes these two as floats: their rounding is part of the filter.
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

int32_t to_fixed(double weight) {
    return static_cast<int32_t>(weight * weight_one + (weight < 0.0 ? -0.5 : 0.5));
}

// Where an output looks, before the weights are known.
struct Window {
    double centre;
    uint32_t first;
    uint32_t count;
};

}  // namespace

Taps make_taps(uint32_t in_size, uint32_t out_size, Filter filter) {
    return make_taps(in_size, out_size, filter, 0, out_size);
}

Taps make_taps(uint32_t in_size, uint32_t out_size, Filter filter, int64_t crop_first,
               uint32_t crop_count) {
    if (in_size == 0 || out_size == 0 || crop_count == 0)
        throw Error("cannot resample " + std::to_string(in_size) + " pixels to " +
                    std::to_string(out_size) + " and keep " + std::to_string(crop_count) +
                    " of them: every side must be at least 1");

    const double scale = static_cast<double>(in_size) / out_size;
    const double stretch = std::max(scale, 1.0);
    const double support = reach(filter) * stretch;
    const bool one_tap = filter == Filter::nearest || in_size == out_size;

    auto window_of = [&](int64_t output) -> Window {
        if (output < 0 || output >= static_cast<int64_t>(out_size)) return {0.0, 0, 0};
        const double centre = (static_cast<double>(output) + 0.5) * scale;
        if (one_tap) {
            const uint32_t source =
                in_size == out_size ? static_cast<uint32_t>(output) : static_cast<uint32_t>(centre);
            return {centre, std::min(source, in_size - 1), 1};
        }
        // Truncation after the + 0.5, not floor: left of the picture both end at 0 anyway.
        const auto first = static_cast<int64_t>(std::max(centre - support + 0.5, 0.0));
        const auto end =
            std::min(static_cast<int64_t>(centre + support + 0.5), static_cast<int64_t>(in_size));
        return {centre, static_cast<uint32_t>(first), static_cast<uint32_t>(end - first)};
    };

    Taps taps;
    taps.out_size = crop_count;
    taps.max_taps = 1;
    taps.first.resize(crop_count);
    taps.count.resize(crop_count);
    for (uint32_t i = 0; i < crop_count; ++i) {
        const Window window = window_of(crop_first + i);
        taps.first[i] = window.first;
        taps.count[i] = window.count;
        taps.max_taps = std::max(taps.max_taps, window.count);
    }

    taps.weights.assign(static_cast<size_t>(crop_count) * taps.max_taps, 0);
    std::vector<double> row(taps.max_taps);
    for (uint32_t i = 0; i < crop_count; ++i) {
        int32_t* weights = &taps.weights[static_cast<size_t>(i) * taps.max_taps];
        const Window window = window_of(crop_first + i);
        if (one_tap) {
            if (window.count == 1) weights[0] = weight_one;
            continue;
        }
        double sum = 0.0;
        for (uint32_t k = 0; k < window.count; ++k) {
            const double offset = static_cast<double>(k + window.first) - window.centre + 0.5;
            row[k] = response(filter, offset * (1.0 / stretch));
            sum += row[k];
        }
        for (uint32_t k = 0; k < window.count; ++k)
            weights[k] = to_fixed(sum != 0.0 ? row[k] / sum : row[k]);
    }
    return taps;
}

}  // namespace saccade
