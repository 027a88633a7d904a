#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "gpu/transfer/planes.h"

namespace saccade {

// Encodes the YUV planes that the device makes for video encoders as JPEG. Both have BT.601's
// matrix, but the planes have limited range and JPEG has full range.
class JpegEncoder {
public:
    explicit JpegEncoder(int quality = 85);

    // Converts the planes in place. The returned bytes are valid until the next call.
    std::span<const uint8_t> encode(std::span<uint8_t> planes, const PlaneLayout& layout);

private:
    struct Close {
        void operator()(void* handle) const;
    };
    std::unique_ptr<void, Close> handle_;
    int quality_;
    std::vector<uint8_t> bytes_;
};

// A smaller picture, by the mean of whole blocks, no wider than this; the same if it is small
// already. Returns its layout; `to` keeps its memory from call to call.
PlaneLayout shrink(std::span<const uint8_t> planes, const PlaneLayout& layout, uint32_t width,
                   std::vector<uint8_t>& to);

}  // namespace saccade
