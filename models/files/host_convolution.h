#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace saccade {

// A convolution as it lies on the host, for what is worked out before it goes to the device.
struct HostConvolution {
    std::vector<float> weight;  // (out, in, kernel, kernel)
    std::vector<float> bias;    // (out)
};

// Channels of several maps that lie side by side, each padded to a multiple of eight.
uint32_t merged(const std::vector<uint32_t>& channels);
// The same convolution for an input of such maps. `area` is that of its kernel.
HostConvolution with_gaps(const HostConvolution& from, const std::vector<uint32_t>& channels,
                          uint32_t area);

// Two convolutions of the same input as one, whose results lie side by side: each is padded to a
// multiple of eight channels.
HostConvolution stacked(const HostConvolution& a, const HostConvolution& b);

// Folds a layer norm into the linear layer after it, whose weight is (out, in): its gain and shift become
// part of weight and bias, and each row of the weight loses its mean, so that the mean of what it is
// multiplied with no longer counts. Then LN(x) W^T + b = x W'^T / deviation(x) + b'.
void fold_norm(std::span<float> weight, std::span<float> bias, std::span<const float> gain,
               std::span<const float> shift);

}  // namespace saccade
