#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "gpu/transfer/planes.h"

namespace saccade {

// Planes as the device makes them for video encoders, BT.601 in the limited range, as JPEG, which
// has the same colours in the full range.
class JpegEncoder {
public:
    explicit JpegEncoder(int quality = 85);

    // The planes are changed on the way. The bytes are valid until the next call.
    std::span<const uint8_t> encode(std::span<uint8_t> planes, const PlaneLayout& layout);

private:
    struct Close {
        void operator()(void* handle) const;
    };
    std::unique_ptr<void, Close> handle_;
    int quality_;
    std::vector<uint8_t> bytes_;
};

}  // namespace saccade
