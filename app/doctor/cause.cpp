#include "app/doctor/cause.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <grp.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vulkan/vulkan.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <optional>
#include <regex>

namespace saccade {

namespace {

namespace fs = std::filesystem;

using MaybeCause = std::optional<Cause>;

bool is_present(const fs::path& path) {
    std::error_code ignored;
    return fs::exists(path, ignored);
}

bool is_nvidia(const Gpu& gpu) { return gpu.vendor == vendors::nvidia; }

bool is_debian(const Machine& machine) {
    return first_line(machine.place("/etc/os-release")).find("Ubuntu") == std::string::npos;
}

// The version of the kernel's NVIDIA driver, such as 580.95.05.
std::string nvidia_kernel_version(const Machine& machine) {
    const std::string line = first_line(machine.place("/proc/driver/nvidia/version"));
    std::smatch found;
    return std::regex_search(line, found, std::regex(R"((\d+\.\d+(\.\d+)?))")) ? found[1].str()
                                                                               : std::string();
}

// The versions of NVIDIA's Vulkan library, by the names of its files.
std::vector<std::string> nvidia_library_versions(const Machine& machine) {
    std::vector<std::string> versions;
    const std::regex name(R"(libGLX_nvidia\.so\.(\d+\.\d+(\.\d+)?))");
    std::vector<fs::path> folders = {machine.place("/usr/lib"), machine.place("/usr/lib64")};
    std::error_code error;
    for (fs::directory_iterator it(folders[0], error), end; !error && it != end;
         it.increment(error))
        if (it->is_directory(error)) {
            folders.push_back(it->path());
            folders.push_back(it->path() / "nvidia" / "current");
        }
    for (const fs::path& folder : folders) {
        error.clear();
        for (fs::directory_iterator it(folder, error), end; !error && it != end;
             it.increment(error)) {
            std::smatch found;
            const std::string file = it->path().filename();
            if (std::regex_match(file, found, name)) versions.push_back(found[1]);
        }
    }
    return versions;
}

// Whether a driver file is for this GPU, by the names that drivers have.
bool is_for(const DriverFile& driver, const Gpu& gpu) {
    const std::string name = driver.file.filename().string() + " " + driver.library;
    const auto has = [&](const char* part) { return name.find(part) != std::string::npos; };
    if (is_nvidia(gpu) && gpu.kernel_driver == "nouveau") return has("nouveau");
    if (is_nvidia(gpu)) return has("nvidia");
    if (gpu.vendor == vendors::amd) return has("radeon") || has("amd");
    if (gpu.vendor == intel_vendor) return has("intel");
    return !has("lvp") && !has("nvidia") && !has("radeon") && !has("intel");
}

MaybeCause without_node(const Machine& machine, const Gpu& gpu) {
    const auto missing =
        std::ranges::find_if(gpu.nodes, [](const fs::path& node) { return !is_present(node); });
    if (!gpu.nodes.empty() && missing == gpu.nodes.end()) return std::nullopt;
    if (machine.in_container)
        return Cause{"this container was started without the GPU",
                     is_nvidia(gpu) ? "docker run --gpus all -e "
                                      "NVIDIA_DRIVER_CAPABILITIES=graphics,compute,utility,video"
                                    : "docker run --device /dev/dri"};
    if (gpu.kernel_driver.empty())
        return Cause{"the kernel has no driver for it",
                     is_nvidia(gpu)               ? "sudo apt-get install nvidia-driver"
                     : gpu.vendor == vendors::amd ? "sudo modprobe amdgpu"
                                                  : "sudo modprobe i915"};
    return Cause{
        "its device node " +
            (gpu.nodes.empty() ? std::string("in /dev/dri")
                               : "/" + missing->lexically_relative(machine.root).string()) +
            " is missing",
        is_nvidia(gpu) ? "sudo nvidia-modprobe -c 0 -u"
                       : "sudo udevadm trigger --subsystem-match=drm"};
}

MaybeCause without_permission(const Machine& machine, const Gpu& gpu) {
    for (const fs::path& node : gpu.nodes) {
        const int file = ::open(node.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK);
        if (file >= 0) ::close(file);
        if (file >= 0 || (errno != EACCES && errno != EPERM)) continue;
        struct stat status {};
        const group* owner =
            ::stat(node.c_str(), &status) == 0 ? ::getgrgid(status.st_gid) : nullptr;
        const std::string group =
            owner && std::string(owner->gr_name) != "root" ? owner->gr_name : "render";
        return Cause{"this user may not open /" + node.lexically_relative(machine.root).string(),
                     machine.in_container
                         ? "docker run --group-add " + std::to_string(status.st_gid)
                         : "sudo usermod -aG " + group + " $USER, then log in again"};
    }
    return std::nullopt;
}

MaybeCause of_other_version(const Machine& machine, const Gpu& gpu) {
    if (!is_nvidia(gpu)) return std::nullopt;
    const std::string kernel = nvidia_kernel_version(machine);
    const std::vector<std::string> libraries = nvidia_library_versions(machine);
    if (kernel.empty() || libraries.empty() ||
        std::ranges::find(libraries, kernel) != libraries.end())
        return std::nullopt;
    return Cause{"the kernel's driver has version " + kernel + " and the Vulkan library version " +
                     libraries.front(),
                 machine.in_container
                     ? "start the container anew, so that it gets the host's library"
                     : "sudo reboot"};
}

std::string driver_package(const Machine& machine, const Gpu& gpu) {
    if (!is_nvidia(gpu) || gpu.kernel_driver == "nouveau") return "mesa-vulkan-drivers";
    if (is_debian(machine)) return "nvidia-vulkan-icd";
    const std::string version = nvidia_kernel_version(machine);
    return "libnvidia-gl-" + version.substr(0, version.find('.'));
}

MaybeCause without_driver_file(const Machine& machine, const Gpu& gpu) {
    if (std::ranges::any_of(machine.drivers, [&](auto& driver) { return is_for(driver, gpu); }))
        return std::nullopt;
    if (machine.drivers_are_chosen)
        return Cause{"VK_DRIVER_FILES or VK_ICD_FILENAMES names no driver for it",
                     "unset VK_DRIVER_FILES VK_ICD_FILENAMES"};
    if (machine.in_container && is_nvidia(gpu))
        return Cause{"this container was started without the graphics capability",
                     "docker run --gpus all -e "
                     "NVIDIA_DRIVER_CAPABILITIES=graphics,compute,utility,video"};
    return Cause{
        "there is no Vulkan driver file for it in /usr/share/vulkan/icd.d or "
        "/etc/vulkan/icd.d",
        "sudo apt-get install " + driver_package(machine, gpu)};
}

// A driver whose library, or one that it needs, cannot be loaded.
MaybeCause without_library(const Machine& machine, const Gpu& gpu) {
    for (const DriverFile& driver : machine.drivers) {
        if (!is_for(driver, gpu)) continue;
        if (driver.library.empty())
            return Cause{"the driver file " + driver.file.string() + " names no library",
                         "sudo apt-get install --reinstall " + driver_package(machine, gpu)};
        if (void* const loaded = ::dlopen(driver.library.c_str(), RTLD_LAZY | RTLD_LOCAL)) {
            ::dlclose(loaded);
            continue;
        }
        const char* const said = ::dlerror();
        const std::string text = said ? said : "it cannot be loaded";
        const bool itself = text.starts_with(driver.library);
        return Cause{"the library of its driver file " + driver.file.string() +
                         " cannot be loaded (" + text + ")",
                     is_nvidia(gpu) && !itself
                         ? "sudo apt-get install libegl1 libxext6"
                         : "sudo apt-get install --reinstall " + driver_package(machine, gpu)};
    }
    return std::nullopt;
}

// A copy of Vulkan's loader that a program or LD_LIBRARY_PATH brings along may be too old for the
// system's driver files, or search elsewhere.
MaybeCause with_bundled_loader() {
    Dl_info info{};
    if (!::dladdr(reinterpret_cast<void*>(&::vkCreateInstance), &info) || !info.dli_fname)
        return std::nullopt;
    std::error_code error;
    const std::string path = fs::canonical(info.dli_fname, error).string();
    const bool is_loader = path.find("libvulkan") != std::string::npos;
    for (const char* folder : {"/usr/lib", "/lib", "/usr/local/lib"})
        if (error || !is_loader || path.starts_with(folder)) return std::nullopt;
    return Cause{"the Vulkan loader " + path + " is in front of the system's",
                 "unset LD_LIBRARY_PATH"};
}

}  // namespace

bool drives(const DeviceInfo& device, const Gpu& gpu) {
    return device.kind != DeviceKind::cpu && device.unusable.empty() &&
           (gpu.vendor == 0 || device.vendor_id == gpu.vendor);
}

Cause why_unusable(const Machine& machine, const Gpu& gpu, const std::string& crashed) {
    if (auto cause = without_node(machine, gpu)) return *cause;
    if (auto cause = without_permission(machine, gpu)) return *cause;
    if (auto cause = without_driver_file(machine, gpu)) return *cause;
    if (auto cause = of_other_version(machine, gpu)) return *cause;
    if (!crashed.empty())
        return {"its driver crashes (" + crashed + ")",
                "sudo apt-get install --reinstall " + driver_package(machine, gpu)};
    if (auto cause = without_library(machine, gpu)) return *cause;
    if (auto cause = with_bundled_loader()) return *cause;
    return {"its driver offers no device that Saccade can use",
            "VK_LOADER_DEBUG=all saccade devices, which shows what the loader does"};
}

std::string unused_gpu_line(const DeviceInfo& device, const Machine& machine) {
    if (machine.gpus.empty()) return {};
    const Gpu& gpu = machine.gpus.front();
    const Cause cause = why_unusable(machine, gpu);
    return "running on software Vulkan (" + device.name + "), though this machine has the " +
           gpu.name + ": " + cause.text + "; to mend it: " + cause.remedy +
           " ('saccade doctor' tells more)";
}

}  // namespace saccade
