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

// What a submission waits for or signals: a binary semaphore, or a value of a timeline semaphore.
struct SemaphorePoint {
    VkSemaphore semaphore = nullptr;  // null: nothing
    uint64_t value = 0;               // of a timeline semaphore
};

// Waits until look() tells of at least `wanted`. It tells nothing where it cannot: false, if it has told
// nothing for as long as `patience`.
bool reaches(uint64_t wanted, const std::function<std::optional<uint64_t>()>& look,
             std::chrono::milliseconds patience = std::chrono::seconds(2));

// How the threads of a subgroup hold what they multiply on cooperative matrices.
struct HeldFragments {
    uint32_t eights = 0;  // of halves that a thread has of a factor; 0: there are no such products
    bool alike = false;   // sums are held as the first factor is
    // Sums are held in pairs of columns, so that threads can be given fours: see
    // fragment.coopmat.glsl.
    bool in_fours = false;
};

struct MemoryUse {
    uint64_t device_bytes = 0;  // what this program holds of the device's memory
    uint64_t host_bytes = 0;    // resident memory of this process
};

// One logical device with one queue, its allocator, its timeline and its pipelines.
class Device {
public:
    struct Options {
        bool cooperative_matrix = true;       // false forces the plain kernels
        bool texel_loads = true;              // likewise
        bool chains = true;                   // likewise
        bool sums_in_fours = true;            // likewise, see HeldFragments: what tests ask for
        bool executes = true;                 // false: it compiles kernels, and runs nothing
        uint32_t chain_workgroups = 0;        // instead of one a core: what tests ask for
        std::vector<std::string> extensions;  // what a window needs
        std::string pipeline_cache;           // a file; empty keeps pipelines in memory only
        // How products are done is measured, instead of taken from tables that hold for another
        // device, and kept in this file. Software Vulkan needs no choice, and measures nothing.
        bool tunes = false;
        std::string tiles = {};
        std::function<void()> on_tuning = {};
    };
    Device(const Instance& instance, const DeviceInfo& info, Options options);
    ~Device();
    Device(const Device&) = delete;
    Device& operator=(const Device&) = delete;

    const DeviceInfo& info() const { return info_; }
    const Features& features() const { return info_.features; }
    const Limits& limits() const { return info_.limits; }
    // Whether it runs what is submitted. One that does not has no memory either: pipelines are made
    // as for any recording, and the driver tells of them.
    bool executes() const { return timeline_ != nullptr; }
    // Software Vulkan: threads are SIMD lanes of few cores, and shared memory is no faster.
    bool is_cpu() const { return info_.kind == DeviceKind::cpu; }

    Pipelines& pipelines() const { return *pipelines_; }
    Choices& choices() const { return *choices_; }
    VkDevice handle() const { return device_; }
    VkQueue queue() const { return queue_; }
    uint32_t queue_family() const { return queue_family_; }
    VmaAllocator allocator() const { return allocator_; }

    // Hands recorded command buffers to the queue. `what` names them in errors. They may wait for
    // one semaphore and signal another. Any thread may submit.
    static constexpr size_t most_in_one_go = 16;
    Ticket submit(std::span<const VkCommandBuffer> commands, std::string_view what,
                  SemaphorePoint wait = {}, SemaphorePoint signal = {});
    // Whoever uses the queue itself holds this meanwhile.
    [[nodiscard]] std::unique_lock<std::mutex> lock_queue() {
        return std::unique_lock(queue_mutex_);
    }
    // Waits on the host. Throws when the device is lost or does not answer for a minute.
    void wait(Ticket ticket, std::string_view what) const;
    bool reached(Ticket ticket) const;
    // Waits for everything that anybody has submitted.
    void wait_idle();
    // The same before something is destroyed, which nothing may keep from happening.
    void come_to_rest() noexcept;

    // How threads hold fragments. Only a kernel can find out: `ask` runs it, at the first call.
    const HeldFragments& held_fragments(HeldFragments (*ask)(Device&));

    // Where a kernel finds the first element of a tensor.
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
    const Instance& instance_;
    DeviceInfo info_;
    VkDevice device_ = nullptr;
    VkQueue queue_ = nullptr;
    uint32_t queue_family_ = 0;
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

}  // namespace saccade
