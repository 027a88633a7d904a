#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "app/frame_pipeline.h"

namespace saccade {

// Hands finished frames to a thread of its own, in order. One may be waiting; who brings another
// one then waits, too.
class FrameSink {
public:
    explicit FrameSink(std::function<void(FramePipeline::Finished)> use);
    ~FrameSink();

    // Throws what `use` has thrown; it is not called any more then.
    void put(FramePipeline::Finished frame);
    // Waits until all are used.
    void close();

private:
    void run(std::stop_token stop);

    std::function<void(FramePipeline::Finished)> use_;
    std::mutex mutex_;
    std::condition_variable_any changed_;
    std::optional<FramePipeline::Finished> waiting_;
    bool busy_ = false;
    std::exception_ptr error_;
    std::jthread thread_;
};

}  // namespace saccade
