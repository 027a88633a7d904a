#include "models/weights/host_convolution.h"

#include <algorithm>
#include <numeric>

#include "gpu/core/tensor.h"

namespace saccade {

uint32_t merged(const std::vector<uint32_t>& channels) {
    uint32_t all = 0;
    for (uint32_t count : channels) all += padded(count);
    return all;
}

HostConvolution with_gaps(const HostConvolution& from, const std::vector<uint32_t>& channels,
                          uint32_t area) {
    const size_t wide = size_t(merged(channels)) * area;
    const size_t in = size_t(std::reduce(channels.begin(), channels.end())) * area;
    HostConvolution to{std::vector<float>(from.bias.size() * wide), from.bias};
    for (size_t row = 0; row < from.bias.size(); ++row) {
        const float* source = &from.weight[row * in];
        float* target = &to.weight[row * wide];
        for (uint32_t count : channels) {
            std::copy_n(source, size_t(count) * area, target);
            source += size_t(count) * area;
            target += size_t(padded(count)) * area;
        }
    }
    return to;
}

HostConvolution stacked(const HostConvolution& a, const HostConvolution& b) {
    const size_t out = a.bias.size(), each = a.weight.size() / out;
    const size_t high = padded(static_cast<uint32_t>(out));
    HostConvolution both = a;
    both.weight.resize(high * each);
    both.bias.resize(high);
    both.weight.insert(both.weight.end(), b.weight.begin(), b.weight.end());
    both.bias.insert(both.bias.end(), b.bias.begin(), b.bias.end());
    both.weight.resize(2 * high * each);
    both.bias.resize(2 * high);
    return both;
}

void fold_norm(std::span<float> weight, std::span<float> bias, std::span<const float> gain,
               std::span<const float> shift) {
    const size_t in = gain.size();
    for (size_t row = 0; row < bias.size(); ++row) {
        const std::span<float> w = weight.subspan(row * in, in);
        double total = 0, moved = 0;
        for (size_t i = 0; i < in; ++i) {
            moved += double(w[i]) * double(shift[i]);
            w[i] *= gain[i];
            total += double(w[i]);
        }
        const auto mean = static_cast<float>(total / double(in));
        for (float& v : w) v -= mean;
        bias[row] = static_cast<float>(double(bias[row]) + moved);
    }
}

}  // namespace saccade
