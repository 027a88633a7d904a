#pragma once

#include <memory>
#include <thread>

#include "app/sources/frame_ring.h"

namespace saccade {

struct ReaderOptions {
    uint64_t first = 0;         // the first frame, by its index
    uint64_t end = UINT64_MAX;  // the frame to stop before
    uint64_t stride = 1;        // every so manyth frame
    size_t slots = 4;           // how many frames may be waiting or in use
};

// Reads a source to its end for somebody who wants every frame, in order: a thread decodes ahead
// into a few slots, and waits when they are full.
class Reader {
public:
    Reader(std::unique_ptr<Source> source, MakeSlot make, const ReaderOptions& options = {});
    ~Reader() { stop(); }

    // Waits for the next frame. Nothing after the last one; the source's Error where it failed,
    // after all frames before that have been given.
    std::optional<TakenFrame> next() { return ring_.wait(); }
    // Of the source, which the thread has in use.
    const SourceTraits& traits() const { return traits_; }
    // Ends the reading early; next() gives what is left. Frames must be released before the Reader
    // goes.
    void stop();

private:
    void read(std::stop_token stop);

    std::unique_ptr<Source> source_;
    SourceTraits traits_;
    MakeSlot make_;
    ReaderOptions options_;
    FrameRing ring_;
    std::jthread thread_;
};

}  // namespace saccade
