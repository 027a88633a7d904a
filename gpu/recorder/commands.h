#pragma once

#include <cstddef>
#include <exception>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/core/buffer.h"
#include "gpu/core/device.h"
#include "gpu/core/pipelines.h"
#include "gpu/core/tensor.h"
#include "gpu/recorder/arena.h"
#include "gpu/recorder/deferred_work.h"
#include "gpu/recorder/hazards.h"
#include "gpu/recorder/profile.h"
#include "gpu/recorder/push_descriptors.h"
#include "gpu/recorder/use.h"

namespace saccade {

// Threads, not workgroups: the recorder rounds up to the kernel's own workgroup size.
struct Threads {
    uint32_t x = 1, y = 1, z = 1;
};

// Records a command buffer. It owns everything around a dispatch: the barriers that the order of
// reads and writes requires, debug labels, timestamps, and scratch memory that lives as long as the
// scope it was allocated in. A recording can be submitted any number of times.
class Commands {
public:
    // Scopes up to `timed_depth` deep get timestamps: 0 none, 1 only the outermost, ...
    Commands(Device& device, Arena& scratch, std::string name, int timed_depth = 1);
    ~Commands();
    Commands(const Commands&) = delete;
    Commands& operator=(const Commands&) = delete;

    // begin() and the destructor require that no submission of this recording is pending.
    void begin();
    // Throws an error that occurred at the end of a scope, where a destructor could not throw it.
    void end();
    Ticket submit();
    void wait(Ticket ticket);
    void run() { wait(submit()); }
    // Throws if a finished submission failed on the device. wait() does this itself.
    void check_finished() const;

    class Scope {
    public:
        ~Scope() { commands_.leave(mark_, timed_); }
        Scope(const Scope&) = delete;
        Scope& operator=(const Scope&) = delete;

    private:
        friend class Commands;
        Scope(Commands& commands, std::string_view name);
        Commands& commands_;
        Arena::Mark mark_;
        bool timed_;
    };
    [[nodiscard]] Scope scope(std::string_view name) { return Scope(*this, name); }

    Tensor scratch(uint32_t batch, uint32_t rows, uint32_t columns, Type type) {
        return scratch_.allocate(batch, rows, columns, type);
    }
    // Words that are zero before a dispatch. A kernel that writes them leaves zeros behind.
    Tensor zeros(uint32_t words);
    // A copy of data on the device, which lives until begin() is called again.
    Tensor constants(std::span<const std::byte> words);

    template <typename Params>
    void dispatch(const Kernel& kernel, Threads threads, std::initializer_list<Use> uses,
                  const Params& params) {
        dispatch(kernel, threads, std::span(uses.begin(), uses.size()),
                 std::as_bytes(std::span(&params, 1)));
    }
    void dispatch(const Kernel& kernel, Threads threads, std::span<const Use> uses,
                  std::span<const std::byte> params);
    // For a kernel that reaches more memory by address than its bindings show: a barrier before it
    // and one after it order all of that. `bytes` is how much it reads and writes that way.
    template <typename Params>
    void dispatch_alone(const Kernel& kernel, Threads threads, std::initializer_list<Use> uses,
                        const Params& params, uint64_t bytes) {
        flush_deferred();
        barrier();
        dispatch(kernel, threads, uses, params);
        barrier();
        counts_.bytes += bytes;
    }
    // Copies whole bytes from one tensor to another of the same layout.
    void copy_bytes(const Tensor& from, const Tensor& to);

    // Work that takes operations over and is flushed before anything else is recorded; null: none.
    DeferredWork* deferred() const { return deferred_.get(); }
    void defer(std::unique_ptr<DeferredWork> work) { deferred_ = std::move(work); }

    // Each dispatch gets a timestamp of its own, under its kernel's name, and waits for the one
    // before it: this shows where the time goes.
    void time_dispatches(bool each) { timing_dispatches_ = each; }

    // Operations use neither cooperative matrices nor texel buffers. Tests compare against these
    // plain kernels.
    void use_plain_kernels(bool plain) { plain_kernels_ = plain; }
    bool plain_kernels() const { return plain_kernels_; }

    Device& device() const { return device_; }
    const std::string& name() const { return name_; }
    // GPU time of each scope of the last finished submission.
    std::vector<ScopeTime> times() const { return profile_.read(); }

    struct Counts {
        uint32_t dispatches = 0, barriers = 0;
        uint64_t bytes = 0;  // that dispatches read and write, without caches
        bool operator==(const Counts&) const = default;
        void operator+=(const Counts& other) {
            dispatches += other.dispatches;
            barriers += other.barriers;
            bytes += other.bytes;
        }
    };
    Counts counts() const { return counts_; }
    // One line for each recorded command, with all of its numbers. Tests compare them.
    void keep_trace(bool keep) { tracing_ = keep; }
    const std::vector<std::string>& trace() const { return trace_; }

private:
    void create_pool();
    void flush_deferred() {
        if (deferred_) deferred_->flush();
    }
    void leave(Arena::Mark mark, bool timed) noexcept;
    void order(std::span<const Use> uses);
    void barrier();
    void trace_dispatch(const std::string& described, std::span<const Use> uses,
                        std::span<const std::byte> params);

    Device& device_;
    Arena& scratch_;
    std::string name_;
    VkCommandPool pool_ = nullptr;
    VkCommandBuffer buffer_ = nullptr;
    PushDescriptors descriptors_;
    Hazards hazards_;
    Profile profile_;
    Counts counts_;
    int depth_ = 0, timed_depth_;
    bool tracing_ = false, plain_kernels_ = false, timing_dispatches_ = false;
    std::vector<std::string> trace_;
    std::exception_ptr failure_;  // thrown while a scope was left
    std::unique_ptr<DeferredWork> deferred_;
    std::vector<Buffer> constants_;
    Buffer zeros_;
    void *begin_label_ = nullptr, *end_label_ = nullptr;

    friend Ticket submit_in_order(std::span<const std::unique_ptr<Commands>> recordings);
};

// Submits recordings, at least one, to run one after the other. Several go into one submission,
// which costs the device less time.
Ticket submit_in_order(std::span<const std::unique_ptr<Commands>> recordings);

}  // namespace saccade
