#pragma once

#include <memory>
#include <thread>

#include "app/frame/frame_ring.h"

namespace saccade {

struct ReaderOptions {
    uint64_t first = 0;         // the first frame, by its index
    uint64_t end = UINT64_MAX;  // the frame to stop before
    uint64_t stride = 1;        // every Nth frame
};

// Reads a source to its end for somebody who wants every frame, in order: a thread decodes ahead
// into the slots of a ring, and waits when they are full.
class Reader {
public:
    Reader(std::unique_ptr<Source> source, FrameRing& ring, const ReaderOptions& options = {});
    ~Reader() { stop(); }

    // Waits for the next frame. Nothing after the last one; the source's Error where it failed,
    // after all frames before that have been given.
    std::optional<TakenFrame> next() { return ring_.wait(); }
    // Of the source, which the thread has in use.
    const SourceTraits& traits() const { return traits_; }
    // Ends the reading early; next() gives what is left.
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
