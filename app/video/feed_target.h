#pragma once

#include <memory>
#include <stop_token>
#include <string>

#include "gpu/core/geometry.h"
#include "gpu/transfer/frame.h"

namespace saccade {

// The target of a feed. Failures are Errors of one line.
class FeedTarget {
public:
    virtual ~FeedTarget() = default;
    // False if the receiver has gone; another may come later.
    virtual bool write(const PictureView& bgr, double seconds) = 0;
};

// Rounds down to even sides, as subsampled chroma needs.
inline Size even_size(Size size) { return {size.x & ~1u, size.y & ~1u}; }

// An MPEG transport stream, which a receiver can join at any time: to a URL that FFmpeg knows
// (udp://host:port), a pipe or a file. Waits until a pipe has a reader; null if a stop is requested
// before.
std::unique_ptr<FeedTarget> open_transport_stream(const std::string& target, Size size,
                                                  const std::stop_token& stop);

}  // namespace saccade
