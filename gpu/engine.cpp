#include "gpu/engine.h"

#include <cstdlib>
#include <filesystem>

#include "gpu/core/error.h"
#include "gpu/lent/lent_device.h"

namespace saccade {

namespace {

// A file in the user's cache folder, one for each device.
std::string cache_file(const DeviceInfo& info, const std::string& what, const std::string& ending) {
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
           (what + "-" + std::to_string(info.vendor_id) + "-" + std::to_string(info.device_id) +
            ending);
}

// The GPUs that gpu/ops/products/tile_table.cpp was fitted on: NVIDIA's with the 132 cores of an
// H200 or H100.
bool tables_hold(const DeviceInfo& info) {
    constexpr uint32_t fitted_cores = 132;
    return info.vendor_id == vendors::nvidia && info.limits.cores == fitted_cores;
}

bool tunes(const EngineOptions& options, const DeviceInfo& info) {
    return options.tuning == EngineOptions::Tuning::always ||
           (options.tuning == EngineOptions::Tuning::elsewhere && !tables_hold(info));
}

const DeviceInfo& chosen(const EngineOptions& options, const Instance& instance) {
    const DeviceInfo& info = instance.choose(options.device);
    if (options.on_device) options.on_device(info);
    return info;
}

std::function<void()> telling(const EngineOptions& options, const std::string& device) {
    if (!options.on_tuning) return {};
    return [say = options.on_tuning, device] {
        say("measuring once how " + device + " multiplies best, 2 s at most; --no-tune skips it");
    };
}

std::optional<Device::Lent> lent_part(const EngineOptions& options, const DeviceInfo& info) {
    if (!options.lent) return std::nullopt;
    return Device::Lent{options.lent->device, options.lent->queue, options.lent->queue_family,
                        enabled_features(info, *options.lent)};
}

// fp16 is fast on a GPU and halves its memory; software Vulkan would only convert back and forth.
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
    : instance_(options.lent ? Instance(options.lent->instance, options.lent->physical_device)
                             : Instance({.validation = options.validation,
                                         .on_message = options.on_message,
                                         .extensions = options.instance_extensions})),
      device_(instance_, chosen(options, instance_),
              {.cooperative_matrix = options.cooperative_matrix,
               .texel_loads = options.texel_loads,
               .chains = options.chains,
               .executes = options.executes,
               .extensions = options.device_extensions,
               // The driver reports statistics only for pipelines that it compiles now.
               .pipeline_cache = options.executes ? cache_file(instance_.choose(options.device),
                                                               "pipelines", ".bin")
                                                  : std::string(),
               .tunes = tunes(options, instance_.choose(options.device)),
               .tiles = cache_file(instance_.choose(options.device), "tiles", ".txt"),
               .on_tuning = telling(options, instance_.choose(options.device).name),
               .lent = lent_part(options, instance_.choose(options.device))}),
      precision_(storage(options.precision, device_)),
      scratch_(device_, "scratch") {}

}  // namespace saccade
