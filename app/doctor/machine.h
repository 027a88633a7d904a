#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace saccade {

// A GPU in the machine, as the kernel lists it, whether Vulkan knows it or not.
struct Gpu {
    std::string name;                          // "NVIDIA GPU 10de:2335"
    uint32_t vendor = 0;                       // PCI vendor id; 0: a GPU that is not on a PCI bus
    std::string kernel_driver;                 // empty: none is bound to it
    std::vector<std::filesystem::path> nodes;  // the device nodes that it should have
};

// A manifest of a Vulkan driver (ICD), as the loader finds it.
struct DriverFile {
    std::filesystem::path file;
    std::string library;  // what it names; empty if it cannot be read
};

// What is below /sys, /dev and /proc, and what the environment says, about GPUs.
struct Machine {
    std::filesystem::path root = "/";
    std::vector<Gpu> gpus;
    std::vector<DriverFile> drivers;
    bool drivers_are_chosen = false;  // VK_DRIVER_FILES or VK_ICD_FILENAMES replaces the search
    bool in_container = false;

    // Another root than / is for tests. `this_machine` takes it from SACCADE_MACHINE_ROOT.
    static Machine at(const std::filesystem::path& root);
    static Machine this_machine();

    // A path of the system below the root.
    std::filesystem::path place(const std::string& path) const {
        return root / std::filesystem::path(path).relative_path();
    }
};

// PCI vendor ids, besides those of gpu/core/instance.h.
constexpr uint32_t intel_vendor = 0x8086;

// The first line of a file, or an empty text.
std::string first_line(const std::filesystem::path& file);

}  // namespace saccade
