#include "gpu/recorder/commands.h"

#include <algorithm>
#include <array>
#include <utility>

#include "gpu/core/check.h"
#include "gpu/recorder/upload.h"

namespace saccade {

namespace {

constexpr uint32_t most_zeros = 4096;

Tensor words_in(const Buffer& buffer, uint64_t words) {
    return make_tensor(buffer.handle(), 0, 1, 1, static_cast<uint32_t>(words), Type::u32);
}

std::string numbers(std::span<const std::byte> bytes) {
    std::string text;
    for (std::byte b : bytes) text += " " + std::to_string(static_cast<int>(b));
    return text;
}

using Workgroups = std::array<uint32_t, 3>;

// Throws where the bindings, the push constants or the workgroups are not what the shader declares
// and the device allows.
Workgroups checked_workgroups(const Device& device, const Pipeline& pipeline, Threads threads,
                              size_t bindings, size_t param_bytes) {
    const Reflection& shader = pipeline.reflection;
    auto where = [&] { return "shader '" + pipeline.name + "'"; };  // only errors need the text
    if (bindings != shader.bindings.size() || bindings > PushDescriptors::most)
        throw Error(where() + " has " + std::to_string(shader.bindings.size()) + " bindings, " +
                    std::to_string(bindings) + " given");
    if (param_bytes != shader.push_constant_bytes)
        throw Error(where() + " takes " + std::to_string(shader.push_constant_bytes) +
                    " bytes of parameters, " + std::to_string(param_bytes) + " given");
    const uint32_t wanted[3] = {threads.x, threads.y, threads.z};
    Workgroups groups;
    for (size_t axis = 0; axis < 3; ++axis) {
        const uint32_t local = shader.local_size[axis];
        groups[axis] = wanted[axis] / local + (wanted[axis] % local != 0);
        if (groups[axis] == 0 || groups[axis] > device.limits().workgroup_count[axis])
            throw Error(where() + " cannot run over " + std::to_string(wanted[axis]) +
                        " threads on " + device.info().name);
    }
    return groups;
}

// "linear.f16 #64 #2 x12 x3 x1": the kernel, its constants and the number of workgroups.
std::string described(const Pipeline& pipeline, std::span<const uint32_t> constants,
                      const Workgroups& groups) {
    std::string line = saccade::described(pipeline.name, constants);
    for (uint32_t group : groups) line += " x" + std::to_string(group);
    return line;
}

// Everything recorded before completes, and its writes are visible to what follows.
void memory_barrier(VkCommandBuffer commands, VkPipelineStageFlags2 from, VkAccessFlags2 written,
                    VkPipelineStageFlags2 to, VkAccessFlags2 used) {
    VkMemoryBarrier2 memory{.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2};
    memory.srcStageMask = from;
    memory.srcAccessMask = written;
    memory.dstStageMask = to;
    memory.dstAccessMask = used;
    VkDependencyInfo dependency{.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO};
    dependency.memoryBarrierCount = 1;
    dependency.pMemoryBarriers = &memory;
    vkCmdPipelineBarrier2(commands, &dependency);
}

}  // namespace

Commands::Commands(Device& device, Arena& scratch, std::string name, int timed_depth)
    : device_(device),
      scratch_(scratch),
      name_(std::move(name)),
      descriptors_(device, name_),
      profile_(device, name_),
      timed_depth_(timed_depth) {
    if (!device.executes()) return;  // pipelines are built, and nothing is recorded
    try {
        create_pool();
    } catch (...) {
        vkDestroyCommandPool(device_.handle(), pool_, nullptr);  // the destructor does not run
        throw;
    }
    if (device.instance().labels_scopes()) {
        auto function = [&](const char* symbol) {
            return reinterpret_cast<void*>(vkGetDeviceProcAddr(device.handle(), symbol));
        };
        begin_label_ = function("vkCmdBeginDebugUtilsLabelEXT");
        end_label_ = function("vkCmdEndDebugUtilsLabelEXT");
    }
}

void Commands::create_pool() {
    VkCommandPoolCreateInfo pool{.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    pool.queueFamilyIndex = device_.queue_family();
    check(vkCreateCommandPool(device_.handle(), &pool, nullptr, &pool_),
          "creating a command pool for '" + name_ + "'");
    device_.name(pool_, VK_OBJECT_TYPE_COMMAND_POOL, name_);
    VkCommandBufferAllocateInfo buffer{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
    buffer.commandPool = pool_;
    buffer.commandBufferCount = 1;
    check(vkAllocateCommandBuffers(device_.handle(), &buffer, &buffer_),
          "creating a command buffer for '" + name_ + "'");
    device_.name(buffer_, VK_OBJECT_TYPE_COMMAND_BUFFER, name_);
}

Commands::~Commands() { vkDestroyCommandPool(device_.handle(), pool_, nullptr); }

void Commands::begin() {
    if (device_.executes()) {
        check(vkResetCommandPool(device_.handle(), pool_, 0), "recording '" + name_ + "'");
        VkCommandBufferBeginInfo info{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
        check(vkBeginCommandBuffer(buffer_, &info), "recording '" + name_ + "'");
        // Submissions on one queue may overlap: this one waits for the writes of earlier ones.
        memory_barrier(buffer_, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, VK_ACCESS_2_MEMORY_WRITE_BIT,
                       VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
                       VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT);
    }
    descriptors_.clear();
    constants_.clear();
    if (deferred_) deferred_->clear();
    hazards_.barrier();
    profile_.forget();
    counts_ = {};
    trace_.clear();
    depth_ = 0;
    failure_ = nullptr;
}

void Commands::end() {
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
    flush_deferred();
    if (!device_.executes()) return;
    memory_barrier(buffer_, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, VK_ACCESS_2_MEMORY_WRITE_BIT,
                   VK_PIPELINE_STAGE_2_HOST_BIT, VK_ACCESS_2_HOST_READ_BIT);
    check(vkEndCommandBuffer(buffer_), "recording '" + name_ + "'");
}

Ticket Commands::submit() {
    profile_.start_anew();
    return device_.submit({&buffer_, 1}, name_);
}

Ticket submit_in_order(std::span<const std::unique_ptr<Commands>> recordings) {
    VkCommandBuffer buffers[Device::most_in_one_go];
    Ticket last;
    while (!recordings.empty()) {
        const auto some = recordings.first(std::min(recordings.size(), std::size(buffers)));
        for (size_t i = 0; i < some.size(); ++i) {
            some[i]->profile_.start_anew();
            buffers[i] = some[i]->buffer_;
        }
        last = some[0]->device_.submit({buffers, some.size()}, some[0]->name_);
        recordings = recordings.subspan(some.size());
    }
    return last;
}

void Commands::wait(Ticket ticket) {
    device_.wait(ticket, name_);
    check_finished();
}

void Commands::check_finished() const {
    if (deferred_) deferred_->check();
}

Commands::Scope::Scope(Commands& commands, std::string_view name)
    : commands_(commands), mark_(commands.scratch_.mark()), timed_(false) {
    if (commands.begin_label_) {
        const std::string text(name);
        VkDebugUtilsLabelEXT label{.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT};
        label.pLabelName = text.c_str();
        reinterpret_cast<PFN_vkCmdBeginDebugUtilsLabelEXT>(commands.begin_label_)(commands.buffer_,
                                                                                  &label);
    }
    if (commands.depth_ < commands.timed_depth_) {
        commands.flush_deferred();
        timed_ = commands.profile_.enter(commands.buffer_, name, commands.depth_);
    }
    ++commands.depth_;
}

void Commands::leave(Arena::Mark mark, bool timed) noexcept {
    --depth_;
    if (timed) {
        try {
            flush_deferred();
        } catch (...) {
            if (!failure_) failure_ = std::current_exception();
        }
        profile_.leave(buffer_);
    }
    if (end_label_) reinterpret_cast<PFN_vkCmdEndDebugUtilsLabelEXT>(end_label_)(buffer_);
    scratch_.release(mark);
}

void Commands::order(std::span<const Use> uses) {
    if (std::ranges::any_of(uses, [&](const Use& u) { return hazards_.conflicts(access_of(u)); }))
        barrier();
    for (const Use& use : uses) hazards_.add(access_of(use));
}

void Commands::barrier() {
    if (!device_.executes()) return;
    const VkPipelineStageFlags2 stages =
        VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_2_TRANSFER_BIT;
    const VkAccessFlags2 writes =
        VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT | VK_ACCESS_2_TRANSFER_WRITE_BIT;
    memory_barrier(buffer_, stages, writes, stages,
                   writes | VK_ACCESS_2_SHADER_STORAGE_READ_BIT | VK_ACCESS_2_TRANSFER_READ_BIT);
    hazards_.barrier();
    ++counts_.barriers;
    if (tracing_) trace_.push_back("barrier");
}

void Commands::dispatch(const Kernel& kernel, Threads threads, std::span<const Use> uses,
                        std::span<const std::byte> params) {
    flush_deferred();
    Pipelines& pipelines = device_.pipelines();
    const Pipeline& pipeline = plain_kernels_ ? pipelines.get(kernel) : pipelines.best(kernel);
    const Workgroups groups =
        checked_workgroups(device_, pipeline, threads, uses.size(), params.size());
    if (!device_.executes()) return;
    descriptors_.push(buffer_, pipeline, uses);

    order(uses);
    vkCmdBindPipeline(buffer_, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.handle);
    vkCmdPushConstants(buffer_, pipeline.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                       static_cast<uint32_t>(params.size()), params.data());
    const bool timed =
        timing_dispatches_ &&
        profile_.enter(buffer_, described(pipeline, kernel.constants(), groups), depth_);
    vkCmdDispatch(buffer_, groups[0], groups[1], groups[2]);
    if (timed) profile_.leave(buffer_);
    ++counts_.dispatches;
    for (const Use& use : uses) counts_.bytes += bytes_moved(use);
    if (tracing_) trace_dispatch(described(pipeline, kernel.constants(), groups), uses, params);
}

void Commands::trace_dispatch(const std::string& described, std::span<const Use> uses,
                              std::span<const std::byte> params) {
    std::string line = described;
    for (const Use& use : uses)
        line += " @" + std::to_string(use.tensor.base) + "+" + std::to_string(use.tensor.bytes);
    trace_.push_back(line + numbers(params));
}

Tensor Commands::zeros(uint32_t words) {
    if (!zeros_)
        zeros_ = upload(device_, "zeros", std::vector<std::byte>(most_zeros * sizeof(uint32_t)));
    if (words > most_zeros) throw Error("more than " + std::to_string(most_zeros) + " counters");
    return words_in(zeros_, words);
}

Tensor Commands::constants(std::span<const std::byte> words) {
    constants_.push_back(upload(device_, "constants of " + name_, words));
    if (tracing_) trace_.push_back("constants" + numbers(words));
    return words_in(constants_.back(), words.size() / sizeof(uint32_t));
}

void Commands::copy_bytes(const Tensor& from, const Tensor& to) {
    const Use uses[] = {read(from), write(to)};
    const Access source = access_of(uses[0]), target = access_of(uses[1]);
    if (source.end - source.begin != target.end - target.begin || from.type != to.type ||
        from.row_stride != to.row_stride)
        throw Error("cannot copy " + from.shape() + " to " + to.shape());
    flush_deferred();
    if (!device_.executes()) return;
    order(uses);
    const VkBufferCopy region{source.begin, target.begin, source.end - source.begin};
    vkCmdCopyBuffer(buffer_, from.buffer, to.buffer, 1, &region);
    if (tracing_) trace_.push_back("copy " + from.shape());
}

}  // namespace saccade
