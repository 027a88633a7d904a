#include "app/doctor/machine.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "gpu/core/instance.h"

namespace saccade {

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> sorted_entries(const fs::path& folder) {
    std::error_code error;
    std::vector<fs::path> entries;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
        entries.push_back(it->path());
    std::ranges::sort(entries);
    return entries;
}

// The name that a symbolic link of sysfs ends in.
std::string linked_name(const fs::path& link) {
    std::error_code error;
    const fs::path target = fs::read_symlink(link, error);
    return error ? std::string() : target.filename().string();
}

uint32_t hexadecimal(const fs::path& file) {
    return static_cast<uint32_t>(std::strtoul(first_line(file).c_str(), nullptr, 16));
}

std::string vendor_name(uint32_t vendor) {
    if (vendor == vendors::nvidia) return "NVIDIA";
    if (vendor == vendors::amd) return "AMD";
    return vendor == intel_vendor ? "Intel" : "";
}

// /dev/dri/renderD128 for a device that the kernel's graphics part knows.
std::vector<fs::path> render_nodes(const Machine& machine, const fs::path& device) {
    std::vector<fs::path> nodes;
    for (const fs::path& entry : sorted_entries(device / "drm"))
        if (entry.filename().string().starts_with("renderD"))
            nodes.push_back(machine.place("/dev/dri") / entry.filename());
    return nodes;
}

// Graphics controllers on PCI of the vendors whose GPUs run Vulkan. Those of servers' consoles and
// of virtual machines do not.
void find_pci_gpus(Machine& machine) {
    constexpr uint32_t display_class = 0x03;
    uint32_t nvidia_gpus = 0;
    for (const fs::path& device : sorted_entries(machine.place("/sys/bus/pci/devices"))) {
        Gpu gpu;
        gpu.vendor = hexadecimal(device / "vendor");
        const std::string vendor = vendor_name(gpu.vendor);
        if (vendor.empty() || hexadecimal(device / "class") >> 16 != display_class) continue;
        char ids[16];
        std::snprintf(ids, sizeof ids, "%04x:%04x", gpu.vendor, hexadecimal(device / "device"));
        gpu.name = vendor + " GPU " + ids;
        gpu.kernel_driver = linked_name(device / "driver");
        if (gpu.vendor == vendors::nvidia && gpu.kernel_driver != "nouveau")
            gpu.nodes = {machine.place("/dev/nvidiactl"),
                         machine.place("/dev/nvidia" + std::to_string(nvidia_gpus++))};
        else
            gpu.nodes = render_nodes(machine, device);
        machine.gpus.push_back(std::move(gpu));
    }
}

// GPUs of systems on a chip, which have a render node and are on no PCI bus.
void find_other_gpus(Machine& machine) {
    for (const fs::path& node : sorted_entries(machine.place("/sys/class/drm"))) {
        const fs::path device = node / "device";
        std::error_code ignored;
        if (!node.filename().string().starts_with("renderD") || !fs::exists(device, ignored) ||
            fs::exists(device / "vendor", ignored))
            continue;
        const std::string driver = linked_name(device / "driver");
        if (driver.empty() || driver == "vgem" || driver == "vkms" || driver.starts_with("virtio"))
            continue;
        machine.gpus.push_back({.name = driver + " GPU",
                                .kernel_driver = driver,
                                .nodes = {machine.place("/dev/dri") / node.filename()}});
    }
}

DriverFile read_driver_file(const fs::path& path) {
    DriverFile driver{path, ""};
    std::ifstream file(path);
    const auto json = nlohmann::json::parse(file, nullptr, false);
    if (!json.is_object() || !json.contains("ICD") || !json["ICD"].is_object()) return driver;
    const auto library = json["ICD"].find("library_path");
    if (library != json["ICD"].end() && library->is_string())
        driver.library = library->get<std::string>();
    // Relative to the manifest, unless it is a bare name, which the dynamic linker searches.
    if (driver.library.find('/') != std::string::npos && driver.library.front() != '/')
        driver.library = (path.parent_path() / driver.library).lexically_normal();
    return driver;
}

void add_driver_files(Machine& machine, const fs::path& place) {
    std::error_code ignored;
    if (!fs::is_directory(place, ignored)) {
        machine.drivers.push_back(read_driver_file(place));
        return;
    }
    for (const fs::path& file : sorted_entries(place))
        if (file.extension() == ".json") machine.drivers.push_back(read_driver_file(file));
}

std::vector<std::string> parts_of(const std::string& list) {
    std::vector<std::string> parts;
    std::istringstream stream(list);
    for (std::string part; std::getline(stream, part, ':');)
        if (!part.empty()) parts.push_back(part);
    return parts;
}

std::string variable_or(const char* name, const std::string& fallback) {
    const char* const value = std::getenv(name);
    return value && *value ? value : fallback;
}

// Where Vulkan's loader searches, in its order.
void find_drivers(Machine& machine) {
    for (const char* name : {"VK_DRIVER_FILES", "VK_ICD_FILENAMES"}) {
        const std::string chosen = variable_or(name, "");
        if (chosen.empty() || machine.root != "/") continue;
        machine.drivers_are_chosen = true;
        for (const std::string& file : parts_of(chosen)) add_driver_files(machine, file);
        return;
    }
    const std::string home = variable_or("HOME", "/root");
    std::vector<std::string> folders;
    if (machine.root == "/") {
        folders = {variable_or("XDG_CONFIG_HOME", home + "/.config")};
        for (auto& part : parts_of(variable_or("XDG_CONFIG_DIRS", "/etc/xdg")))
            folders.push_back(part);
    }
    folders.emplace_back("/etc");
    if (machine.root == "/")
        folders.push_back(variable_or("XDG_DATA_HOME", home + "/.local/share"));
    for (auto& part : parts_of(variable_or("XDG_DATA_DIRS", "/usr/local/share:/usr/share")))
        folders.push_back(part);
    for (const std::string& folder : folders) {
        const fs::path place = machine.place(folder) / "vulkan" / "icd.d";
        std::error_code ignored;
        if (fs::is_directory(place, ignored)) add_driver_files(machine, place);
    }
}

}  // namespace

std::string first_line(const fs::path& path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line;
}

Machine Machine::at(const fs::path& root) {
    Machine machine;
    machine.root = root;
    std::error_code ignored;
    machine.in_container = fs::exists(machine.place("/.dockerenv"), ignored) ||
                           fs::exists(machine.place("/run/.containerenv"), ignored);
    if (root == "/") machine.in_container |= std::getenv("KUBERNETES_SERVICE_HOST") != nullptr;
    find_pci_gpus(machine);
    find_other_gpus(machine);
    find_drivers(machine);
    return machine;
}

Machine Machine::this_machine() { return at(variable_or("SACCADE_MACHINE_ROOT", "/")); }

}  // namespace saccade
