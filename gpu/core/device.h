#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/core/choices.h"
#include "gpu/core/handles.h"
#include "gpu/core/instance.h"

namespace saccade {

class Pipelines;
struct Tensor;

// A point on the device's timeline: reached once everything submitted up to it has finished.
struct Ticket {
    uint64_t value = 0;
};

// A submission waits for or signals it: a binary semaphore, or a value of a timeline semaphore.
struct SemaphorePoint {
    VkSemaphore semaphore = nullptr;  // null: nothing
    uint64_t value = 0;               // of a timeline semaphore
};

// Polls look() until it returns at least `wanted`. look() returns nothing where it fails; after it
// has failed for as long as `patience`, this returns false.
bool reaches(uint64_t wanted, const std::function<std::optional<uint64_t>()>& look,
             std::chrono::milliseconds patience = std::chrono::seconds(2));

// How the threads of a subgroup hold cooperative matrices. The driver decides that.
struct HeldFragments {
    uint32_t eights = 0;  // groups of eight halves of a factor in a thread; 0: unknown, not used
    bool alike = false;   // an accumulator has the same layout as the first factor
    // A thread holds pairs of columns of an accumulator, so that it can be given four neighbours:
    // see fragment.coopmat.glsl.
    bool in_fours = false;
};

struct MemoryUse {
    uint64_t device_bytes = 0;  // of device memory that this process has allocated
    uint64_t host_bytes = 0;    // resident memory of this process
};

// One logical device with one queue, its allocator, its timeline and its pipelines.
class Device {
public:
    // A device that a program has made, with what it enabled: see gpu/lent.
    struct Lent {
        VkDevice device = nullptr;
        VkQueue queue = nullptr;
        uint32_t queue_family = 0;
        Features features;
    };
    struct Options {
        bool cooperative_matrix = true;       // false forces the plain kernels
        bool texel_loads = true;              // likewise
        bool chains = true;                   // likewise
        bool sums_in_fours = true;            // likewise, see HeldFragments; for tests
        bool executes = true;                 // false: kernels are compiled, and nothing is run
        uint32_t chain_workgroups = 0;        // instead of one for each core; for tests
        std::vector<std::string> extensions;  // that a window needs
        std::string pipeline_cache;           // a file; empty keeps pipelines in memory only
        // Measures the tiles of products instead of trusting the tables, which were fitted on
        // another device. The answers are kept in the file `tiles`. Software Vulkan has no choice
        // of tiles.
        bool tunes = false;
        std::string tiles = {};
        std::function<void()> on_tuning = {};
        std::optional<Lent> lent = std::nullopt;  // is used instead of a device of our own
    };
    Device(const Instance& instance, const DeviceInfo& info, Options options);
    ~Device();
    Device(const Device&) = delete;
    Device& operator=(const Device&) = delete;

    const DeviceInfo& info() const { return info_; }
    const Features& features() const { return info_.features; }
    const Limits& limits() const { return info_.limits; }
    // Whether submitted work runs. A device that does not execute has no memory either; it builds
    // pipelines, about which the driver reports statistics.
    bool executes() const { return timeline_ != nullptr; }
    // Software Vulkan: threads are SIMD lanes of few cores, and shared memory is no faster.
    bool is_cpu() const { return info_.kind == DeviceKind::cpu; }

    Pipelines& pipelines() const { return *pipelines_; }
    Choices& choices() const { return *choices_; }
    VkDevice handle() const { return device_; }
    VkQueue queue() const { return queue_; }
    uint32_t queue_family() const { return queue_family_; }
    VmaAllocator allocator() const { return allocator_; }

    // Submits command buffers to the queue. `what` names them in errors. They may wait for one
    // semaphore and signal another. Any thread may submit.
    static constexpr size_t most_in_one_go = 16;
    Ticket submit(std::span<const VkCommandBuffer> commands, std::string_view what,
                  SemaphorePoint wait = {}, SemaphorePoint signal = {});
    // Code that uses the queue itself holds this lock.
    [[nodiscard]] std::unique_lock<std::mutex> lock_queue() {
        return std::unique_lock(queue_mutex_);
    }
    // Blocks until the ticket is reached. Throws DeviceLost also after a minute without progress.
    void wait(Ticket ticket, std::string_view what) const;
    bool reached(Ticket ticket) const;
    // Waits for everything that has been submitted, by any thread.
    void wait_idle();
    // The same for destructors: it ignores errors.
    void come_to_rest() noexcept;

    // How threads hold fragments. Only a kernel can find out: the first call runs `ask`.
    const HeldFragments& held_fragments(HeldFragments (*ask)(Device&));

    // The device address of a tensor's first element.
    uint64_t address(const Tensor& tensor) const;

    // Gives a Vulkan object its name in validation messages and captures.
    void name(uint64_t object, int type, std::string_view name) const;
    template <typename Handle>
    void name(Handle object, int type, std::string_view text) const {
        name(reinterpret_cast<uint64_t>(object), type, text);
    }
    const Instance& instance() const { return instance_; }

    MemoryUse memory() const;

private:
    void limit_features(const Options& options);
    void create_device(const Options& options);
    void create_allocator();
    void create_timeline();
    void close() noexcept;

    const Instance& instance_;
    DeviceInfo info_;
    VkDevice device_ = nullptr;
    VkQueue queue_ = nullptr;
    uint32_t queue_family_ = 0;
    bool lent_ = false;
    VmaAllocator allocator_ = nullptr;
    VkSemaphore timeline_ = nullptr;
    uint64_t submitted_ = 0;
    std::mutex queue_mutex_;
    void* set_name_ = nullptr;
    std::once_flag fragments_asked_;
    HeldFragments held_fragments_;
    std::unique_ptr<Pipelines> pipelines_;
    std::unique_ptr<Choices> choices_;
};

// Writes the address of a tensor's first element as a params.h struct has it: two words, the low
// one first.
inline void put_address(uint32_t (&to)[2], const Device& device, const Tensor& tensor) {
    const uint64_t address = device.address(tensor);
    to[0] = static_cast<uint32_t>(address);
    to[1] = static_cast<uint32_t>(address >> 32);
}

}  // namespace saccade
