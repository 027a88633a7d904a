#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace saccade {

// A convolution on the host, to be folded or combined before it goes to the device.
struct HostConvolution {
    std::vector<float> weight;  // (out, in, kernel, kernel)
    std::vector<float> bias;    // (out)
};

// Channels of several concatenated maps, each padded to a multiple of eight.
uint32_t merged(const std::vector<uint32_t>& channels);
// The same convolution for an input of such maps: the weights of the padding are zero. `area`:
// elements of the kernel.
HostConvolution with_gaps(const HostConvolution& from, const std::vector<uint32_t>& channels,
                          uint32_t area);

// Two convolutions of the same input as one, whose outputs are concatenated, each padded to a
// multiple of eight channels.
HostConvolution stacked(const HostConvolution& a, const HostConvolution& b);

// Folds a layer norm into the linear layer after it, whose weight is (out, in). The norm's gain and
// shift become part of weight and bias. The mean of each row is subtracted from the row, which
// makes the product independent of the mean of x: LN(x) W^T + b = x W'^T / deviation(x) + b'.
void fold_norm(std::span<float> weight, std::span<float> bias, std::span<const float> gain,
               std::span<const float> shift);

}  // namespace saccade
