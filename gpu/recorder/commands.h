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
#include "gpu/core/image.h"
#include "gpu/core/pipelines.h"
#include "gpu/core/tensor.h"
#include "gpu/recorder/arena.h"
#include "gpu/recorder/hazards.h"
#include "gpu/recorder/profile.h"
#include "shaders/chains/params.h"

namespace saccade {

// How a dispatch uses a tensor or an image. The first use is binding 0, and so on.
struct Use {
    enum class How { read, write, read_write } how;
    Tensor tensor;
    const Image* image = nullptr;
    uint64_t bytes = 0;  // of the tensor, where it is not all of it; 0: all
};
inline Use read(const Tensor& t) { return {Use::How::read, t}; }
// Some rows of a table: how many is known, which are not.
inline Use read_some(const Tensor& t, uint32_t rows) {
    return {Use::How::read, t, nullptr, tensor_bytes(1, rows, t.columns, t.type)};
}
inline Use write(const Tensor& t) { return {Use::How::write, t}; }
inline Use read_write(const Tensor& t) { return {Use::How::read_write, t}; }
inline Use read(const Image& i) { return {Use::How::read, {}, &i}; }
inline Use write(const Image& i) { return {Use::How::write, {}, &i}; }
inline Use read_write(const Image& i) { return {Use::How::read_write, {}, &i}; }

// Threads, not workgroups: the recorder rounds up to the kernel's own workgroup size.
struct Threads {
    uint32_t x = 1, y = 1, z = 1;
};

// Records work for the device. It owns what surrounds a dispatch, so that a model need not: the
// barriers that the order of reads and writes asks for, debug labels, timestamps, and scratch
// memory that lives as long as the scope it was taken in. A recording can be submitted any number
// of times.
class Commands {
public:
    // `timed_depth` scopes deep, timestamps are written: 0 none, 1 only the outermost, ...
    Commands(Device& device, Arena& scratch, std::string name, int timed_depth = 1);
    ~Commands();
    Commands(const Commands&) = delete;
    Commands& operator=(const Commands&) = delete;

    void begin();
    // Throws what could not be recorded at the end of a scope, where nothing can be thrown.
    void end();
    Ticket submit();
    void wait(Ticket ticket);
    // After a submission has finished: throws if a chain of it came to nothing.
    void require_whole_chains() const;
    // begin() must not be called, nor this object destroyed, before the last submission is done.
    void run() { wait(submit()); }

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

    // Words that are zero, and that whoever uses them leaves as zeros.
    Tensor zeros(uint32_t words);

    template <typename Params>
    void dispatch(const Kernel& kernel, Threads threads, std::initializer_list<Use> uses,
                  const Params& params) {
        dispatch(kernel, threads, std::span(uses.begin(), uses.size()),
                 std::as_bytes(std::span(&params, 1)));
    }
    void dispatch(const Kernel& kernel, Threads threads, std::span<const Use> uses,
                  std::span<const std::byte> params);
    // While this lives, operations on a row, or on a row of each of a few batches, that chain.comp
    // knows become links of one dispatch, on devices that have chains. Anything else that is recorded
    // ends the dispatch, and so does another number of rows.
    class Chain {
    public:
        ~Chain() { commands_.chaining_ = false; }
        Chain(const Chain&) = delete;
        Chain& operator=(const Chain&) = delete;

    private:
        friend class Commands;
        explicit Chain(Commands& commands) : commands_(commands) {
            commands.chaining_ = commands.device().features().chains && !commands.plain_kernels_;
        }
        Commands& commands_;
    };
    [[nodiscard]] Chain chain() { return Chain(*this); }
    bool chaining() const { return chaining_; }
    // What is built into a chain's kernel, for all links that have it: how many rows there are, the
    // columns of a head, the activation (0: none of them has), and the columns of the longest row of
    // a product. So is which kinds of links there are.
    struct ChainTraits {
        uint32_t rows = 1, head = 0, activation = 0, columns = 0;
    };
    // `older` is what the link reads before what came before has finished.
    void link(params::LinkParams link, ChainTraits traits, std::initializer_list<Use> uses,
              std::span<const Tensor> older);

    // Whole bytes from one tensor's memory to another's of the same layout.
    void copy_bytes(const Tensor& from, const Tensor& to);

    // Each dispatch then has a time of its own, under its kernel's name, and waits for the one
    // before it: the way to see where the time goes.
    void time_dispatches(bool each) { timing_dispatches_ = each; }

    // Operations then leave the device's special hardware unused: the way to check it.
    void use_plain_kernels(bool plain) { plain_kernels_ = plain; }
    bool plain_kernels() const { return plain_kernels_; }

    Device& device() const { return device_; }
    const std::string& name() const { return name_; }
    // GPU time of each scope of the last finished submission.
    std::vector<ScopeTime> times() const { return profile_.read(); }

    struct Counts {
        uint32_t dispatches = 0, barriers = 0;
        uint64_t bytes = 0;  // that dispatches read and write, had they no caches
        bool operator==(const Counts&) const = default;
        void operator+=(const Counts& other) {
            dispatches += other.dispatches;
            barriers += other.barriers;
            bytes += other.bytes;
        }
    };
    Counts counts() const { return counts_; }
    // One line for everything recorded, with every number in it: what tests compare.
    void keep_trace(bool keep) { tracing_ = keep; }
    const std::vector<std::string>& trace() const { return trace_; }

private:
    void leave(Arena::Mark mark, bool timed) noexcept;
    VkBufferView view_of(const Tensor& tensor, Reflection::Texel texel);
    void forget_views();
    void order(std::span<const Use> uses);
    void barrier();
    void end_chain();
    Kernel chain_kernel() const;

    Device& device_;
    Arena& scratch_;
    std::string name_;
    VkCommandPool pool_ = nullptr;
    VkCommandBuffer buffer_ = nullptr;
    Hazards hazards_;
    Profile profile_;
    Counts counts_;
    int depth_ = 0, timed_depth_;
    bool tracing_ = false, plain_kernels_ = false, timing_dispatches_ = false;
    std::vector<std::string> trace_;
    std::exception_ptr failure_;       // of leaving a scope
    std::vector<VkBufferView> views_;  // of what has been recorded
    bool chaining_ = false;
    std::vector<params::LinkParams> links_;  // of the chain that is being recorded
    std::vector<Access> chain_writes_;
    ChainTraits chain_traits_;
    uint32_t chain_uses_ = 0;       // what there is among its links, see params.h
    std::vector<Buffer> programs_;  // of the chains that have been recorded
    Buffer stuck_;                  // where their workgroups say that they could not meet
    Buffer zeros_;
    void* push_descriptors_ = nullptr;
    void *begin_label_ = nullptr, *end_label_ = nullptr;

    friend Ticket submit_in_order(std::span<const std::unique_ptr<Commands>> recordings);
};

// One after the other, and in one go where that takes the device less time. At least one.
Ticket submit_in_order(std::span<const std::unique_ptr<Commands>> recordings);

}  // namespace saccade
