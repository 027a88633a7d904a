#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/doctor/cause.h"
#include "app/doctor/trial.h"

namespace saccade {

// What `saccade doctor` finds.
struct Examination {
    struct Driver {
        DriverFile file;
        DeviceList found;  // with this driver alone
    };
    struct TriedDevice {
        DeviceInfo info;
        std::string failure;  // of the small kernel; empty: it ran
    };
    struct UnusedGpu {
        Gpu gpu;
        Cause cause;
    };

    std::vector<Driver> drivers;
    std::vector<TriedDevice> devices;
    std::string failure;          // why there is no device
    std::optional<size_t> taken;  // the device that Saccade takes without --device
    std::string reason;           // why this one
    std::vector<Gpu> gpus;        // in the machine
    std::vector<UnusedGpu> unused;

    bool is_well() const;
    std::string text() const;
    std::string json() const;
};

Examination examine(const Machine& machine);

}  // namespace saccade
