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

// Optional features, beyond the Vulkan 1.3 baseline.
struct Features {
    bool storage16 = false;              // fp16 in buffers: needed for --precision fp16
    bool float16 = false;                // fp16 arithmetic
    bool float64 = false;                // fp64 arithmetic
    bool subgroup_arithmetic = false;    // subgroupAdd and friends in compute shaders
    bool subgroup_size_control = false;  // a kernel may ask for full subgroups
    bool cooperative_matrix = false;     // VK_KHR_cooperative_matrix, fp16 x fp16 + fp32
    bool pipeline_statistics = false;    // VK_KHR_pipeline_executable_properties
    bool memory_budget = false;          // VK_EXT_memory_budget
    bool addresses = false;              // bufferDeviceAddress
    bool chains = false;                 // gpu/chains: operations on a few rows in one dispatch
    bool texel_loads = false;            // texel buffers are read faster than storage buffers
    bool sums_in_fours = true;           // false: HeldFragments::in_fours is not used
    bool external_fds = false;           // VK_KHR_external_memory_fd, VK_KHR_external_semaphore_fd
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
    uint32_t subgroup_size = 0;  // of kernels on cooperative matrices, where it has several sizes
    uint32_t image_side = 0;
    uint32_t cores = 0;       // SMs or compute units; 0 where the driver does not report them
    double timestamp_ns = 0;  // of a tick; 0 where the queue has no timestamps
    uint64_t timestamp_mask = UINT64_MAX;  // the valid bits of a timestamp
};

enum class DeviceKind { discrete, integrated, virtual_gpu, cpu, other };
std::string_view name_of(DeviceKind kind);

// PCI vendor ids.
namespace vendors {
constexpr uint32_t amd = 0x1002, nvidia = 0x10de;
}

struct DeviceInfo {
    uint32_t index = 0;  // in the order discrete, integrated, virtual, CPU
    std::string name, driver, api_version;
    uint32_t vendor_id = 0, device_id = 0;
    DeviceKind kind = DeviceKind::other;
    Features features;
    Limits limits;
    uint64_t memory_bytes = 0;  // of its device-local heaps
    std::string unusable;       // the part of the baseline that it lacks; empty: usable
    VkPhysicalDevice handle = nullptr;
};

// Called with one line per message of the validation layers.
using MessageSink = std::function<void(std::string_view)>;

// A VkInstance, and the devices that it finds.
class Instance {
public:
    struct Options {
        bool validation = false;
        MessageSink on_message;               // where validation messages go
        std::vector<std::string> extensions;  // that a window needs
    };
    explicit Instance(Options options);
    // One device of an instance that a program has made, and that it destroys later itself.
    Instance(VkInstance lent, VkPhysicalDevice device);
    ~Instance();
    Instance(const Instance&) = delete;
    Instance& operator=(const Instance&) = delete;

    const std::vector<DeviceInfo>& devices() const { return devices_; }
    // `wanted` is an index, a part of a name, or empty for the best device. Throws where no device
    // matches or the device is unusable.
    const DeviceInfo& choose(std::string_view wanted) const;

    VkInstance handle() const { return instance_; }
    bool names_objects() const { return debug_utils_; }
    // Scopes have debug labels, but not under the validation layer: Debian 12's (1.3.239) erases
    // the labels of a destroyed command buffer without a lock, and crashes if another thread
    // records.
    bool labels_scopes() const { return debug_utils_ && !options_.validation; }
    // Passes a line to on_message.
    void message(std::string_view text) const;

private:
    void find_devices();

    Options options_;
    VkInstance instance_ = nullptr;
    bool lent_ = false;
    VkDebugUtilsMessengerEXT messenger_ = nullptr;
    bool debug_utils_ = false;
    std::vector<DeviceInfo> devices_;
};

}  // namespace saccade
