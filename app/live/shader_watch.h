#pragma once

#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "gpu/core/device.h"

namespace saccade {

// The build of shaders to SPIR-V.
struct ShaderBuild {
    std::filesystem::path sources;  // the folder of the shaders
    std::string command;            // builds them; its errors are on standard output
    std::filesystem::path spirv;    // the folder of the results, NAME.spv

    // This program's own, in builds that were configured with SACCADE_HOT_RELOAD.
    static std::optional<ShaderBuild> own();
};

// Hot reload of shaders: when one is saved, all are built, and kernels with changed code replace
// the old ones.
class ShaderWatch {
public:
    ShaderWatch(Device& device, ShaderBuild build);

    // To be called between frames. True if kernels were replaced: recordings with the old ones stay
    // valid, and have to be recorded again to show the change.
    bool poll();
    // The compiler's last error, until the shaders compile; the old ones stay in use.
    const std::string& error() const { return error_; }

private:
    void run(std::stop_token stop);
    void build();

    Device& device_;
    const ShaderBuild build_;
    std::string error_;
    std::map<std::string, std::vector<uint32_t>, std::less<>> known_;  // the thread's own

    std::mutex mutex_;
    bool news_ = false;
    std::string built_error_;
    std::map<std::string, std::vector<uint32_t>> changed_;

    std::jthread thread_;
};

}  // namespace saccade
