#include "app/doctor/examination.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ranges>

#include "app/io/text.h"

namespace saccade {

namespace {

// The loader's own search on the real machine; below another root, the files that are there.
std::string files_to_use(const Machine& machine) {
    std::string files;
    if (machine.root == "/") return files;
    for (const DriverFile& driver : machine.drivers)
        files += (files.empty() ? "" : ":") + driver.file.string();
    return files.empty() ? (machine.root / "none.json").string() : files;
}

void choose(Examination& found) {
    for (size_t i = 0; i < found.devices.size() && !found.taken; ++i)
        if (found.devices[i].info.unusable.empty()) found.taken = i;
    if (!found.taken) return;
    const DeviceKind kind = found.devices[*found.taken].info.kind;
    const auto usable = std::ranges::count_if(
        found.devices, [](const auto& device) { return device.info.unusable.empty(); });
    if (kind == DeviceKind::cpu)
        found.reason = found.gpus.empty() ? "software Vulkan: this machine has no GPU"
                                          : "software Vulkan: no GPU can be used";
    else if (usable == 1)
        found.reason = "the only one that can be used";
    else
        found.reason =
            "the first in the order discrete, integrated, virtual, CPU; --device takes "
            "another";
}

// The driver of this GPU that crashes, if one does.
std::string crashed_driver(const Examination& found) {
    for (const Examination::Driver& driver : found.drivers)
        if (driver.found.crashed) return driver.file.file.string() + ": " + driver.found.failure;
    return {};
}

void find_unused(Examination& found, const Machine& machine) {
    for (const Gpu& gpu : machine.gpus) {
        const auto its = std::ranges::find_if(
            found.devices, [&](const auto& device) { return drives(device.info, gpu); });
        if (its == found.devices.end()) {
            found.unused.push_back({gpu, why_unusable(machine, gpu, crashed_driver(found))});
            const auto old = std::ranges::find_if(found.devices, [&](const auto& device) {
                return device.info.vendor_id == gpu.vendor && !device.info.unusable.empty();
            });
            if (old != found.devices.end())
                found.unused.back().cause = {old->info.unusable,
                                             "sudo apt-get update && sudo apt-get upgrade"};
        } else if (!its->failure.empty()) {
            found.unused.push_back({gpu,
                                    {its->failure + ", driver " + its->info.driver,
                                     "update or reinstall this driver; until then, --device takes "
                                     "another device"}});
        }
    }
}

using Object = nlohmann::ordered_json;

std::string memory_text(const DeviceInfo& device) {
    return std::to_string(device.memory_bytes >> 20) + " MiB";
}

std::string driver_line(const Examination::Driver& driver) {
    std::string line = one_line(driver.file.file.string()) + ": ";
    if (driver.found.crashed) return line + one_line(driver.found.failure);
    if (driver.found.devices.empty()) return line + "no device of its own here";
    std::string names;
    for (const DeviceInfo& device : driver.found.devices)
        names += (names.empty() ? "" : ", ") + device.name;
    return line + one_line(names);
}

}  // namespace

Examination examine(const Machine& machine) {
    Examination found;
    found.gpus = machine.gpus;
    for (const DriverFile& file : machine.drivers)
        found.drivers.push_back({file, list_devices(file.file.string())});
    const std::string files = files_to_use(machine);
    DeviceList all = list_devices(files);
    found.failure = all.failure;
    for (DeviceInfo& device : all.devices) {
        const std::string failure =
            device.unusable.empty() ? try_kernel(device.index, files) : std::string();
        found.devices.push_back({std::move(device), failure});
    }
    choose(found);
    find_unused(found, machine);
    return found;
}

bool Examination::is_well() const {
    return taken && devices[*taken].failure.empty() && unused.empty();
}

std::string Examination::text() const {
    std::string text = "drivers\n";
    if (drivers.empty()) text += "  none: sudo apt-get install mesa-vulkan-drivers\n";
    for (const Driver& driver : drivers) text += "  " + driver_line(driver) + "\n";
    text += "devices\n";
    if (devices.empty())
        text += "  none" + (failure.empty() ? "" : ": " + one_line(failure)) + "\n";
    for (const TriedDevice& device : devices) {
        text += "  " + std::to_string(device.info.index) + ": " + one_line(device.info.name) +
                " (" + std::string(name_of(device.info.kind)) + ", " + memory_text(device.info) +
                ")" + (device.info.driver.empty() ? "" : ", " + one_line(device.info.driver)) +
                "\n     ";
        if (!device.info.unusable.empty())
            text += "cannot be used: " + one_line(device.info.unusable);
        else
            text += device.failure.empty() ? "a small kernel ran on it"
                                           : "a small kernel failed: " + one_line(device.failure);
        text += "\n";
    }
    if (taken)
        text += "Saccade takes " + std::to_string(*taken) + ": " +
                one_line(devices[*taken].info.name) + ", " + reason + "\n";
    for (const UnusedGpu& one : unused)
        text += "The " + one_line(one.gpu.name) + " cannot be used: " + one_line(one.cause.text) +
                "\n  " + one_line(one.cause.remedy) + "\n";
    if (unused.empty() && taken && !devices[*taken].failure.empty())
        text +=
            "The driver of this device fails: update or reinstall it, or take another device "
            "with --device\n";
    return text;
}

std::string Examination::json() const {
    Object object = {{"ok", is_well()},
                     {"gpus", Object::array()},
                     {"drivers", Object::array()},
                     {"devices", Object::array()},
                     {"taken", nullptr}};
    for (const Gpu& gpu : gpus) {
        const auto its = std::ranges::find_if(
            unused, [&](const UnusedGpu& one) { return one.gpu.name == gpu.name; });
        Object& one = object["gpus"].emplace_back(
            Object{{"name", gpu.name}, {"usable", its == unused.end()}});
        if (its == unused.end()) continue;
        one["cause"] = its->cause.text;
        one["remedy"] = its->cause.remedy;
    }
    for (const Driver& driver : drivers) {
        Object& one = object["drivers"].emplace_back(Object{{"file", driver.file.file.string()},
                                                            {"library", driver.file.library},
                                                            {"devices", Object::array()}});
        for (const DeviceInfo& device : driver.found.devices) one["devices"].push_back(device.name);
        if (driver.found.crashed) one["failure"] = driver.found.failure;
    }
    for (const TriedDevice& device : devices) {
        Object& one = object["devices"].emplace_back(
            Object{{"index", device.info.index},
                   {"name", device.info.name},
                   {"kind", name_of(device.info.kind)},
                   {"driver", device.info.driver},
                   {"vulkan", device.info.api_version},
                   {"memory", device.info.memory_bytes},
                   {"usable", device.info.unusable.empty() && device.failure.empty()}});
        if (!device.info.unusable.empty()) one["failure"] = device.info.unusable;
        if (!device.failure.empty()) one["failure"] = device.failure;
    }
    if (taken) object["taken"] = {{"device", *taken}, {"reason", reason}};
    if (!failure.empty()) object["failure"] = failure;
    return object.dump(2, ' ', false, Object::error_handler_t::replace) + "\n";
}

}  // namespace saccade
