#pragma once

#include <memory>
#include <thread>

#include "app/frame/frame_ring.h"

namespace saccade {

struct ReaderOptions {
    uint64_t first = 0;         // index of the first frame
    uint64_t end = UINT64_MAX;  // index after the last frame
    uint64_t stride = 1;        // every Nth frame
};

// Reads every frame of a source, in order: a thread decodes ahead into the slots of a ring, and
// waits when they are full.
class Reader {
public:
    Reader(std::unique_ptr<Source> source, FrameRing& ring, const ReaderOptions& options = {});
    ~Reader() { stop(); }

    // Waits for the next frame. Nothing after the last one. If the source fails, its Error follows
    // the frames that were read before.
    std::optional<TakenFrame> next() { return ring_.wait(); }
    // A copy of the source's traits, because the thread uses the source.
    const SourceTraits& traits() const { return traits_; }
    // Stops reading; next() still returns the frames that are ready.
    void stop();

private:
    void read(std::stop_token stop);

    std::unique_ptr<Source> source_;
    SourceTraits traits_;
    ReaderOptions options_;
    FrameRing& ring_;
    std::jthread thread_;
};

}  // namespace saccade
