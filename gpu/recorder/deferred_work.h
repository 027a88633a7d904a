#pragma once

namespace saccade {

// Operations that are collected while a recording is made, and become one dispatch later. The
// recorder owns it, and does not know what it collects.
class DeferredWork {
public:
    virtual ~DeferredWork() = default;
    // Records what has been collected. Called before anything else is recorded.
    virtual void flush() = 0;
    // Drops what has been collected: the recording starts again.
    virtual void clear() = 0;
    // Throws if the work failed on the device. Called once a submission has finished.
    virtual void check() const = 0;
};

}  // namespace saccade
