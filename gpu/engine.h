#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gpu/core/device.h"
#include "gpu/recorder/arena.h"

namespace saccade {

struct LentDevice;  // gpu/lent

// --precision: how matrices and activations are stored.
enum class Precision { automatic, fp16, fp32 };
Precision precision_named(const std::string& name);

struct EngineOptions {
    std::string device;  // an index or a part of a name; empty takes the best
    Precision precision = Precision::automatic;
    bool cooperative_matrix = true, texel_loads = true, chains = true;
    bool executes = true;  // false: kernels are compiled, and nothing is run
    // Whether the tiles of products are measured at their first use. `elsewhere`: on all devices
    // but those that the tables were fitted on.
    enum class Tuning { never, elsewhere, always } tuning = Tuning::never;
    std::function<void(const std::string& line)> on_tuning;  // called before the first measurement
    // Called with the chosen device before it is opened; an exception refuses it.
    std::function<void(const DeviceInfo&)> on_device;
    bool validation = false;
    MessageSink on_message;
    std::vector<std::string> instance_extensions, device_extensions;  // that a window needs
    const LentDevice* lent = nullptr;  // a program's own device, instead of one that is chosen
};

// The device that a command runs on, with the scratch memory that its models share.
class Engine {
public:
    explicit Engine(const EngineOptions& options);

    Device& device() { return device_; }
    Arena& scratch() { return scratch_; }
    Type precision() const { return precision_; }

private:
    Instance instance_;
    Device device_;
    Type precision_;
    Arena scratch_;
};

}  // namespace saccade
