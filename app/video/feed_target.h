#pragma once

#include <memory>
#include <stop_token>
#include <string>

#include "gpu/core/geometry.h"
#include "gpu/transfer/frame.h"

namespace saccade {

// Where a feed goes to. Errors are thrown, one line each.
class FeedTarget {
public:
    virtual ~FeedTarget() = default;
    // False if nobody is there any more to receive it, but somebody may come later.
    virtual bool write(const PictureView& bgr, double seconds) = 0;
};

// Pictures have even sides: at most one line and column are left out.
inline Size even_size(Size size) { return {size.x & ~1u, size.y & ~1u}; }

// An MPEG transport stream, which can be joined at any time: to an address of FFmpeg's
// (udp://host:port), a pipe or a file. A pipe is waited for until somebody reads it, or a stop is
// asked for: null then.
std::unique_ptr<FeedTarget> open_transport_stream(const std::string& target, Size size,
                                                  const std::stop_token& stop);

}  // namespace saccade
