#pragma once

#include <cstdint>
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

}  // namespace saccade
