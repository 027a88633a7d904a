#include "gpu/engine.h"

#include <cstdlib>
#include <filesystem>

#include "gpu/core/error.h"

namespace saccade {

namespace {

// In the user's cache folder, one file a device and driver: another driver's code is of no use.
std::string pipeline_cache_file(const DeviceInfo& info) {
    const char* cache = std::getenv("XDG_CACHE_HOME");
    const char* home = std::getenv("HOME");
    std::filesystem::path folder;
    if (cache && *cache == '/')
        folder = cache;
    else if (home && *home == '/')
        folder = std::filesystem::path(home) / ".cache";
    else
        return {};
    return folder / "saccade" /
           ("pipelines-" + std::to_string(info.vendor_id) + "-" + std::to_string(info.device_id) +
            ".bin");
}

// A GPU is fast and saves half its memory with fp16; software Vulkan only converts back and forth.
Type storage(Precision precision, const Device& device) {
    if (precision == Precision::automatic) return device.is_cpu() ? Type::f32 : Type::f16;
    return precision == Precision::fp32 ? Type::f32 : Type::f16;
}

}  // namespace

Precision precision_named(const std::string& name) {
    if (name == "auto") return Precision::automatic;
    if (name == "fp16") return Precision::fp16;
    if (name == "fp32") return Precision::fp32;
    throw Error("--precision is auto, fp16 or fp32, not '" + name + "'");
}

Engine::Engine(const EngineOptions& options)
    : instance_({.validation = options.validation,
                 .on_message = options.on_message,
                 .extensions = options.instance_extensions}),
      device_(instance_, instance_.choose(options.device),
              {.cooperative_matrix = options.cooperative_matrix,
               .texel_loads = options.texel_loads,
               .chains = options.chains,
               .executes = options.executes,
               .extensions = options.device_extensions,
               // Statistics are only told of what is compiled now.
               .pipeline_cache = options.executes
                                     ? pipeline_cache_file(instance_.choose(options.device))
                                     : std::string()}),
      precision_(storage(options.precision, device_)),
      scratch_(device_, "scratch") {}

}  // namespace saccade
