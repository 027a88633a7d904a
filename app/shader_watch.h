#pragma once

#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "gpu/device.h"

namespace saccade {

// For who writes shaders: when a file of shaders/ is saved, the build's shader target is built, and
// kernels whose code has changed take the place of the old ones. Only builds that were configured
// with SACCADE_HOT_RELOAD know where that is.
class ShaderWatch {
public:
    static bool available();
    explicit ShaderWatch(Device& device);

    // Between frames. True where kernels were replaced: what was recorded with the old ones, which
    // stay good, must be recorded anew for the change to be seen.
    bool poll();
    // The compiler's last complaint, until a shader compiles; the old ones stay.
    const std::string& error() const { return error_; }

private:
    void run(std::stop_token stop);
    void build();

    Device& device_;
    std::string error_;
    std::map<std::string, std::vector<uint32_t>, std::less<>> known_;  // the thread's own

    std::mutex mutex_;
    bool news_ = false;
    std::string built_error_;
    std::map<std::string, std::vector<uint32_t>> changed_;

    std::jthread thread_;
};

}  // namespace saccade
