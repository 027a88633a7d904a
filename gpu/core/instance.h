#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/core/handles.h"

namespace saccade {

// A shape M x N x K that the device multiplies in one cooperative-matrix instruction, fp16 in and
// fp32 accumulated.
struct MatrixShape {
    uint32_t m, n, k;
};

// What a device can do beyond the Vulkan 1.3 baseline. Each is found on its own bit.
struct Features {
    bool storage16 = false;              // fp16 in buffers: needed for --precision fp16
    bool float16 = false;                // fp16 arithmetic
    bool float64 = false;                // fp64 arithmetic
    bool subgroup_arithmetic = false;    // subgroupAdd and friends in compute shaders
    bool subgroup_size_control = false;  // a kernel may ask for full subgroups
    bool cooperative_matrix = false;     // VK_KHR_cooperative_matrix, fp16 x fp16 + fp32
    bool cooperative_matrix2 = false;    // VK_NV_cooperative_matrix2
    bool tells_of_pipelines = false;     // the driver says what its compiler made of a kernel
    bool memory_budget = false;          // the driver tells how much memory is in use
    bool addresses = false;              // kernels may find memory by its address
    bool chains = false;                 // operations on a few rows may share a dispatch
    bool texel_loads = false;            // texel buffers are read faster than storage buffers
    bool sums_in_fours = true;           // may be used where threads hold them so: HeldFragments
    bool external_fds = false;           // memory and semaphores can be handed to another device
    std::vector<MatrixShape> matrix_shapes;
};

struct Limits {
    uint64_t storage_range = 0;      // bytes one binding can see
    uint64_t storage_alignment = 0;  // of a binding's offset
    uint64_t buffer_bytes = 0;       // the largest buffer
    uint64_t allocation_bytes = 0;   // the largest single allocation
    uint32_t push_constant_bytes = 0;
    uint32_t shared_bytes = 0;  // shared memory of a workgroup
    uint32_t workgroup_threads = 0;
    uint32_t workgroup_size[3] = {};
    uint32_t workgroup_count[3] = {};
    uint32_t subgroup_size = 0;  // those that multiply matrices, where it has these
    uint32_t image_side = 0;
    uint32_t cores = 0;  // that each run a workgroup by themselves; 0 where the driver does not say
    double timestamp_ns = 0;  // of a tick; 0 where the queue has no timestamps
    uint64_t timestamp_mask = UINT64_MAX;  // the bits of a timestamp that count
};

enum class DeviceKind { discrete, integrated, virtual_gpu, cpu, other };
std::string_view name_of(DeviceKind kind);

// The numbers of makers of devices, of those that something depends on.
namespace vendors {
constexpr uint32_t amd = 0x1002, nvidia = 0x10de;
}

struct DeviceInfo {
    uint32_t index = 0;  // in our order: discrete, integrated, virtual, CPU
    std::string name, driver, api_version;
    uint32_t vendor_id = 0, device_id = 0;
    DeviceKind kind = DeviceKind::other;
    Features features;
    Limits limits;
    uint64_t memory_bytes = 0;  // of its device-local heaps
    std::string unusable;       // what it lacks of the baseline; empty when it will do
    VkPhysicalDevice handle = nullptr;
};

// Called with one line per message of the validation layers.
using MessageSink = std::function<void(std::string_view)>;

// The loader's side of Vulkan: finds the devices.
class Instance {
public:
    struct Options {
        bool validation = false;
        MessageSink on_message;               // where validation messages go
        std::vector<std::string> extensions;  // what a window needs
    };
    explicit Instance(Options options);
    ~Instance();
    Instance(const Instance&) = delete;
    Instance& operator=(const Instance&) = delete;

    const std::vector<DeviceInfo>& devices() const { return devices_; }
    // `wanted` is an index, a part of a name, or empty for the best one. Throws where there is
    // none, or where it lacks something of the baseline.
    const DeviceInfo& choose(std::string_view wanted) const;

    VkInstance handle() const { return instance_; }
    bool names_objects() const { return debug_utils_; }
    // Scopes are named for frame debuggers, but not while the validation layer runs: Debian 12's
    // (1.3.239) forgets the labels of a destroyed command buffer without a lock, and crashes where
    // another thread is recording.
    bool labels_scopes() const { return debug_utils_ && !options_.validation; }
    // Reaches on_message from anywhere (the leak check at destruction, for one).
    void message(std::string_view text) const;

private:
    void find_devices();

    Options options_;
    VkInstance instance_ = nullptr;
    VkDebugUtilsMessengerEXT messenger_ = nullptr;
    bool debug_utils_ = false;
    std::vector<DeviceInfo> devices_;
};

}  // namespace saccade
