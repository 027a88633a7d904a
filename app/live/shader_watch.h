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

// How shaders become SPIR-V.
struct ShaderBuild {
    std::filesystem::path sources;  // the folder that they are saved in
    std::string command;            // builds them; complains on its standard output
    std::filesystem::path spirv;    // the folder that it leaves NAME.spv in

    // This program's own. Only builds that were configured with SACCADE_HOT_RELOAD know it.
    static std::optional<ShaderBuild> own();
};

// For who writes shaders: when one is saved, all are built, and kernels whose code has changed take
// the place of the old ones.
class ShaderWatch {
public:
    ShaderWatch(Device& device, ShaderBuild build);

    // Between frames. True where kernels were replaced: what was recorded with the old ones, which
    // stay good, must be recorded anew for the change to be seen.
    bool poll();
    // The compiler's last complaint, until a shader compiles; the old ones stay.
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
