#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <vulkan/vulkan.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "app/doctor/cause.h"
#include "gpu/core/instance.h"
#include "tests/app/program.h"
#include "tests/app/variable.h"

namespace saccade {
namespace {

namespace fs = std::filesystem;

// A machine with one GPU of this vendor, as its kernel shows it, with everything in order: a driver
// file, a library, device nodes.
class FakeMachine {
public:
    explicit FakeMachine(const std::string& vendor, const std::string& kernel_driver)
        : nvidia_(vendor == "0x10de") {
        const std::string device = "sys/bus/pci/devices/0000:01:00.0/";
        put(device + "vendor", vendor + "\n");
        put(device + "device", "0x2335\n");
        put(device + "class", "0x030200\n");
        if (!kernel_driver.empty())
            fs::create_symlink("/drivers/" + kernel_driver, root.path() / device / "driver");
        if (nvidia_) {
            put("dev/nvidiactl", "");
            put("dev/nvidia0", "");
            put("proc/driver/nvidia/version",
                "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.95.05  Tue\n");
            put("usr/lib/some-linux-gnu/libGLX_nvidia.so.580.95.05", "");
        } else {
            fs::create_directories(root.path() / device / "drm" / "renderD128");
            put("dev/dri/renderD128", "");
        }
        put("etc/os-release", "PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n");
        set_library("libc.so.6");  // one that can be loaded
        fs::permissions(root.path(), fs::perms::all);
    }

    void put(const std::string& name, const std::string& text) {
        fs::create_directories((root / name).parent_path());
        std::ofstream(root / name) << text;
    }
    void remove(const std::string& name) { fs::remove_all(root / name); }
    fs::path driver_file() const {
        return root / (nvidia_ ? "usr/share/vulkan/icd.d/nvidia_icd.json"
                               : "usr/share/vulkan/icd.d/radeon_icd.json");
    }
    void set_library(const std::string& library) {
        put(fs::relative(driver_file(), root.path()),
            R"({"file_format_version": "1.0.0", "ICD": {"library_path": ")" + library +
                R"(", "api_version": "1.3.0"}})");
    }

    Machine machine() const { return Machine::at(root.path()); }
    Cause cause() const {
        const Machine all = machine();
        EXPECT_EQ(all.gpus.size(), 1u);
        return all.gpus.empty() ? Cause{} : why_unusable(all, all.gpus.front());
    }

    TempFolder root;

private:
    bool nvidia_;
};

void expect_cause(const Cause& cause, std::string_view text, std::string_view remedy) {
    expect_says(cause.text, text);
    expect_says(cause.remedy, remedy);
}

TEST(DoctorTest, finds_gpus_that_the_kernel_lists_and_no_consoles_of_servers) {
    FakeMachine fake("0x10de", "nvidia");
    const Machine machine = fake.machine();
    ASSERT_EQ(machine.gpus.size(), 1u);
    EXPECT_EQ(machine.gpus.front().name, "NVIDIA GPU 10de:2335");
    EXPECT_EQ(machine.gpus.front().kernel_driver, "nvidia");
    ASSERT_EQ(machine.drivers.size(), 1u);
    EXPECT_EQ(machine.drivers.front().library, "libc.so.6");
    EXPECT_TRUE(FakeMachine("0x1a03", "ast").machine().gpus.empty());
}

TEST(DoctorTest, names_a_missing_driver_file_and_the_package_that_has_it) {
    FakeMachine nvidia("0x10de", "nvidia"), amd("0x1002", "amdgpu");
    nvidia.remove("usr/share/vulkan");
    amd.remove("usr/share/vulkan");
    expect_cause(nvidia.cause(), "no Vulkan driver file", "apt-get install nvidia-vulkan-icd");
    expect_cause(amd.cause(), "no Vulkan driver file", "apt-get install mesa-vulkan-drivers");
    nvidia.put("etc/os-release", "PRETTY_NAME=\"Ubuntu 24.04 LTS\"\n");
    expect_cause(nvidia.cause(), "no Vulkan driver file", "apt-get install libnvidia-gl-580");
}

TEST(DoctorTest, names_a_driver_and_a_library_of_different_versions) {
    FakeMachine fake("0x10de", "nvidia");
    fake.remove("usr/lib/some-linux-gnu/libGLX_nvidia.so.580.95.05");
    fake.put("usr/lib/some-linux-gnu/libGLX_nvidia.so.580.105.08", "");
    expect_cause(fake.cause(),
                 "kernel's driver has version 580.95.05 and the Vulkan library version 580.105.08",
                 "sudo reboot");
}

TEST(DoctorTest, names_a_node_that_is_missing_or_may_not_be_opened) {
    FakeMachine fake("0x1002", "amdgpu");
    const fs::path node = fake.root / "dev/dri/renderD128";
    fs::permissions(node, fs::perms::none);
    const bool root = ::geteuid() == 0;  // who may open everything
    ASSERT_EQ(root ? ::seteuid(65534) : 0, 0);
    const Cause cause = fake.cause();
    ASSERT_EQ(root ? ::seteuid(0) : 0, 0);
    expect_cause(cause, "may not open /dev/dri/renderD128", "usermod -aG render");
    fs::remove(node);
    expect_cause(fake.cause(), "device node /dev/dri/renderD128 is missing", "udevadm trigger");
    FakeMachine driverless("0x1002", "");
    driverless.remove("sys/bus/pci/devices/0000:01:00.0/drm");
    expect_cause(driverless.cause(), "no driver for it", "sudo modprobe amdgpu");
}

TEST(DoctorTest, names_a_container_without_the_gpu_or_its_graphics_capability) {
    FakeMachine fake("0x10de", "nvidia");
    fake.put("run/.containerenv", "");
    fake.remove("usr/share/vulkan");
    expect_cause(fake.cause(), "without the graphics capability",
                 "NVIDIA_DRIVER_CAPABILITIES=graphics");
    fake.remove("dev/nvidia0");
    expect_cause(fake.cause(), "started without the GPU", "--gpus all");
}

TEST(DoctorTest, names_a_library_that_cannot_be_loaded) {
    FakeMachine fake("0x1002", "amdgpu");
    fake.set_library("libsaccade_there_is_none.so");
    expect_cause(fake.cause(), "libsaccade_there_is_none.so", "--reinstall mesa-vulkan-drivers");
}

TEST(DoctorTest, says_which_device_is_taken_where_all_is_well) {
    const Outcome outcome = saccade_program({"doctor", "--json"});
    if (!Machine::this_machine().gpus.empty()) return;  // tests of a GPU are those of its owner
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    const auto report = nlohmann::json::parse(outcome.out);
    EXPECT_TRUE(report["ok"]);
    EXPECT_FALSE(report["drivers"].empty());
    const auto device = report["devices"][report["taken"]["device"].get<size_t>()];
    EXPECT_TRUE(device["usable"]);
    EXPECT_NE(device["driver"], "");
}

TEST(DoctorTest, ends_with_one_and_the_remedy_where_a_gpu_is_unused) {
    FakeMachine fake("0x10de", "nvidia");
    fake.set_library("libsaccade_there_is_none.so");
    const Variable root("SACCADE_MACHINE_ROOT", fake.root.path().c_str());
    const Outcome outcome = saccade_program({"doctor"});
    EXPECT_EQ(outcome.code, 1);
    expect_says(outcome.out, "The NVIDIA GPU 10de:2335 cannot be used: the library of");
    expect_says(outcome.out, "--reinstall nvidia-vulkan-icd");
    const auto report = nlohmann::json::parse(saccade_program({"doctor", "--json"}).out);
    EXPECT_FALSE(report["ok"]);
    EXPECT_EQ(report["gpus"][0]["usable"], false);
    EXPECT_TRUE(report["taken"].is_null());
}

// A copy of Vulkan's loader stands for one that a program brings along.
TEST(DoctorTest, names_a_loader_in_front_of_the_systems) {
    Dl_info info{};
    ASSERT_NE(::dladdr(reinterpret_cast<void*>(&::vkCreateInstance), &info), 0);
    FakeMachine fake("0x1002", "amdgpu");
    fs::copy_file(fs::canonical(info.dli_fname), fake.root / "libvulkan.so.1");
    const Variable root("SACCADE_MACHINE_ROOT", fake.root.path().c_str());
    const Variable path("LD_LIBRARY_PATH", fake.root.path().c_str());
    const Outcome outcome = saccade_program({"doctor"});
    EXPECT_EQ(outcome.code, 1);
    expect_says(outcome.out, "is in front of the system's\n  unset LD_LIBRARY_PATH");
}

TEST(DoctorTest, lets_a_run_on_software_say_so_and_refuses_it_where_a_gpu_is_required) {
    const Words detect{"detect", golden_picture(), "--detector", "emoji-detector"};
    const Instance instance({});
    if (instance.choose("").kind != DeviceKind::cpu) return;
    FakeMachine fake("0x10de", "nvidia");
    fake.remove("usr/share/vulkan");
    const Variable root("SACCADE_MACHINE_ROOT", fake.root.path().c_str());
    const Outcome told = saccade_program(detect);
    EXPECT_EQ(told.code, 0);
    EXPECT_TRUE(told.err.starts_with("saccade: running on software Vulkan (")) << told.err;
    expect_says(told.err, "nvidia-vulkan-icd");
    expect_refused(saccade_program(detect + Words{"--require-gpu"}), 1, "--require-gpu: running");
    fake.remove("sys");
    expect_refused(saccade_program(detect + Words{"--require-gpu"}), 1, "no GPU was found");
}

// The fault layer ends the process when work is submitted, as software Vulkan does on processors
// that it misjudges.
TEST(DoctorTest, survives_a_driver_that_crashes_and_names_it) {
    const std::string driver = Instance({}).choose("").driver;
    const Variable path("VK_LAYER_PATH", places::faults());
    const Variable layer("VK_INSTANCE_LAYERS", "VK_LAYER_SACCADE_faults");
    const Variable fault("SACCADE_FAULT", "lost 1 die");
    const Outcome outcome = saccade_program({"doctor"});
    EXPECT_EQ(outcome.code, 1);
    expect_says(outcome.out, "a small kernel failed: the driver crashed with SIGILL");
    const Outcome run = saccade_program(
        on_test_device({"detect", golden_picture(), "--detector", "emoji-detector"}));
    EXPECT_EQ(run.signal, SIGILL);
    expect_says(run.err, "saccade: crashed, in the Vulkan driver " + driver);
    expect_says(run.err, "'saccade doctor' tries the driver alone");
}

}  // namespace
}  // namespace saccade
