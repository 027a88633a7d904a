#include "gpu/recorder/commands.h"

#include <algorithm>
#include <utility>

#include "gpu/core/check.h"
#include "gpu/core/device.h"
#include "gpu/recorder/upload.h"

namespace saccade {

namespace {

constexpr size_t most_uses = 16;
// Looks of a workgroup for the others, in one chain: seconds. A chain takes less than a
// millisecond.
constexpr uint32_t chain_patience = 1 << 22;
constexpr uint32_t most_zeros = 4096;

Tensor words_in(const Buffer& buffer) {
    Tensor words = make_tensor(buffer.handle(), 0, 1, 1,
                               static_cast<uint32_t>(buffer.bytes() / sizeof(uint32_t)), Type::u32);
    words.bytes = buffer.bytes();
    return words;
}

Access access_of(const Use& use) {
    const bool writes = use.how != Use::How::read;
    if (use.image) return {use.image->handle(), 0, UINT64_MAX, writes};
    const Tensor& t = use.tensor;
    const uint64_t size = bytes_of(t.type);
    const uint64_t first = t.base + t.offset * size;
    const uint64_t elements = uint64_t(t.batch - 1) * t.batch_stride +
                              uint64_t(t.rows - 1) * t.row_stride + padded(t.columns);
    return {t.buffer, first, std::min(first + elements * size, t.base + t.bytes), writes};
}

uint64_t bytes_moved(const Use& use) {
    const Tensor& t = use.tensor;
    const uint64_t bytes = use.bytes   ? use.bytes
                           : use.image ? uint64_t(use.image->width()) * use.image->height() * 4
                                       : tensor_bytes(t.batch, t.rows, t.columns, t.type);
    return use.how == Use::How::read_write ? 2 * bytes : bytes;
}

VkFormat format_of(Reflection::Texel texel) {
    switch (texel) {
        case Reflection::Texel::none:
            break;
        case Reflection::Texel::float4:
            return VK_FORMAT_R32G32B32A32_SFLOAT;
        case Reflection::Texel::uint1:
            return VK_FORMAT_R32_UINT;
        case Reflection::Texel::uint4:
            return VK_FORMAT_R32G32B32A32_UINT;
    }
    return VK_FORMAT_UNDEFINED;
}

// What a kernel needs for this link that other links may not need.
uint32_t uses_of(const params::LinkParams& link) {
    uint32_t uses = 1u << link.kind;
    if (link.norm == params::link_layer_norm) uses |= params::chain_layer_norms;
    if (link.norm == params::link_rms_norm) uses |= params::chain_rms_norms;
    if (link.pairing != 0) uses |= params::chain_pairs;
    if (link.sharing > 1) uses |= params::chain_shared_heads;
    return uses;
}

// A dispatch in words: kernel, constants, workgroups.
std::string described(const std::string& kernel, std::span<const uint32_t> constants,
                      std::span<const uint32_t> groups) {
    std::string line = saccade::described(kernel, constants);
    for (uint32_t group : groups) line += " x" + std::to_string(group);
    return line;
}

// Everything before has finished and is visible to everything after.
void full_barrier(VkCommandBuffer commands, VkPipelineStageFlags2 to, VkAccessFlags2 access) {
    VkMemoryBarrier2 memory{.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2};
    memory.srcStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
    memory.srcAccessMask = VK_ACCESS_2_MEMORY_WRITE_BIT;
    memory.dstStageMask = to;
    memory.dstAccessMask = access;
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
      profile_(device, name_),
      timed_depth_(timed_depth) {
    if (!device.executes()) return;  // pipelines are made, and nothing is recorded
    // What follows may throw, and then no destructor runs.
    auto close = [this](const bool* whole) {
        if (!*whole) vkDestroyCommandPool(device_.handle(), pool_, nullptr);
    };
    bool whole = false;
    const std::unique_ptr<bool, decltype(close)> clean_up(&whole, close);
    VkCommandPoolCreateInfo pool{.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    pool.queueFamilyIndex = device.queue_family();
    check(vkCreateCommandPool(device.handle(), &pool, nullptr, &pool_),
          "creating a command pool for '" + name_ + "'");
    device.name(pool_, VK_OBJECT_TYPE_COMMAND_POOL, name_);
    VkCommandBufferAllocateInfo buffer{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
    buffer.commandPool = pool_;
    buffer.commandBufferCount = 1;
    check(vkAllocateCommandBuffers(device.handle(), &buffer, &buffer_),
          "creating a command buffer for '" + name_ + "'");
    device.name(buffer_, VK_OBJECT_TYPE_COMMAND_BUFFER, name_);
    auto function = [&](const char* symbol) {
        return reinterpret_cast<void*>(vkGetDeviceProcAddr(device.handle(), symbol));
    };
    push_descriptors_ = function("vkCmdPushDescriptorSetKHR");
    if (device.instance().labels_scopes()) {
        begin_label_ = function("vkCmdBeginDebugUtilsLabelEXT");
        end_label_ = function("vkCmdEndDebugUtilsLabelEXT");
    }
    whole = true;
}

Commands::~Commands() {
    vkDestroyCommandPool(device_.handle(), pool_, nullptr);
    forget_views();
}

void Commands::forget_views() {
    for (VkBufferView view : views_) vkDestroyBufferView(device_.handle(), view, nullptr);
    views_.clear();
}

void Commands::begin() {
    if (device_.executes()) {
        check(vkResetCommandPool(device_.handle(), pool_, 0), "recording '" + name_ + "'");
        forget_views();
        VkCommandBufferBeginInfo info{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
        check(vkBeginCommandBuffer(buffer_, &info), "recording '" + name_ + "'");
        // Submissions on one queue may overlap; this one waits for what the earlier ones wrote.
        full_barrier(buffer_, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
                     VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT);
    }
    hazards_.barrier();
    counts_ = {};
    links_.clear();
    programs_.clear();
    trace_.clear();
    depth_ = 0;
    failure_ = nullptr;
    profile_.forget();
}

void Commands::end() {
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
    end_chain();
    if (!device_.executes()) return;
    full_barrier(buffer_, VK_PIPELINE_STAGE_2_HOST_BIT, VK_ACCESS_2_HOST_READ_BIT);
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
    require_whole_chains();
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
        commands.end_chain();
        timed_ = commands.profile_.enter(commands.buffer_, name, commands.depth_);
    }
    ++commands.depth_;
}

void Commands::leave(Arena::Mark mark, bool timed) noexcept {
    --depth_;
    if (timed) {
        try {
            end_chain();
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
    VkMemoryBarrier2 memory{.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2};
    memory.srcStageMask = memory.dstStageMask = stages;
    memory.srcAccessMask = VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT | VK_ACCESS_2_TRANSFER_WRITE_BIT;
    memory.dstAccessMask = VK_ACCESS_2_SHADER_STORAGE_READ_BIT |
                           VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT | VK_ACCESS_2_TRANSFER_READ_BIT |
                           VK_ACCESS_2_TRANSFER_WRITE_BIT;
    VkDependencyInfo dependency{.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO};
    dependency.memoryBarrierCount = 1;
    dependency.pMemoryBarriers = &memory;
    vkCmdPipelineBarrier2(buffer_, &dependency);
    hazards_.barrier();
    ++counts_.barriers;
    if (tracing_) trace_.push_back("barrier");
}

VkBufferView Commands::view_of(const Tensor& tensor, Reflection::Texel texel) {
    VkBufferViewCreateInfo info{.sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO};
    info.buffer = tensor.buffer;
    info.format = format_of(texel);
    info.offset = tensor.base;
    info.range = tensor.bytes;
    VkBufferView view = nullptr;
    check(vkCreateBufferView(device_.handle(), &info, nullptr, &view), "recording '" + name_ + "'");
    views_.push_back(view);
    device_.name(view, VK_OBJECT_TYPE_BUFFER_VIEW, name_);
    return view;
}

void Commands::dispatch(const Kernel& kernel, Threads threads, std::span<const Use> uses,
                        std::span<const std::byte> params) {
    end_chain();
    Pipelines& pipelines = device_.pipelines();
    const Pipeline* pipeline = &(plain_kernels_ ? pipelines.get(kernel) : pipelines.best(kernel));
    const Reflection& shader = pipeline->reflection;
    auto where = [&] { return "shader '" + pipeline->name + "'"; };  // only errors need the text
    if (uses.size() != shader.bindings.size() || uses.size() > most_uses)
        throw Error(where() + " has " + std::to_string(shader.bindings.size()) + " bindings, " +
                    std::to_string(uses.size()) + " given");
    if (params.size() != shader.push_constant_bytes)
        throw Error(where() + " takes " + std::to_string(shader.push_constant_bytes) +
                    " bytes of parameters, " + std::to_string(params.size()) + " given");
    const uint32_t wanted[3] = {threads.x, threads.y, threads.z};
    uint32_t groups[3];
    for (int axis = 0; axis < 3; ++axis) {
        const uint32_t local = shader.local_size[axis];
        groups[axis] = wanted[axis] / local + (wanted[axis] % local != 0);
        if (groups[axis] == 0 || groups[axis] > device_.limits().workgroup_count[axis])
            throw Error(where() + " cannot run over " + std::to_string(wanted[axis]) +
                        " threads on " + device_.info().name);
    }

    if (!device_.executes()) return;

    VkDescriptorBufferInfo buffers[most_uses];
    VkDescriptorImageInfo images[most_uses];
    VkBufferView views[most_uses];
    VkWriteDescriptorSet writes[most_uses];
    for (uint32_t i = 0; i < uses.size(); ++i) {
        const Use& use = uses[i];
        const bool image = shader.bindings[i] == Reflection::Binding::image;
        if (image != (use.image != nullptr) || (!image && !use.tensor))
            throw Error(where() + " binding " + std::to_string(i) + " is of another kind");
        writes[i] = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
        writes[i].dstBinding = i;
        writes[i].descriptorCount = 1;
        const bool texels = shader.bindings[i] == Reflection::Binding::texels;
        if (image) {
            images[i] = {nullptr, use.image->view(), VK_IMAGE_LAYOUT_GENERAL};
            writes[i].descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
            writes[i].pImageInfo = &images[i];
        } else {
            const Tensor& t = use.tensor;
            if (t.bytes > device_.limits().storage_range ||
                t.base % device_.limits().storage_alignment != 0)
                throw Error(where() + " cannot bind " + std::to_string(t.bytes >> 20) + " MiB at " +
                            std::to_string(t.base) + " on " + device_.info().name);
            if (texels) {
                views[i] = view_of(t, shader.texels[i]);
                writes[i].descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER;
                writes[i].pTexelBufferView = &views[i];
            } else {
                buffers[i] = {t.buffer, t.base, t.bytes};
                writes[i].descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
                writes[i].pBufferInfo = &buffers[i];
            }
        }
    }

    order(uses);
    vkCmdBindPipeline(buffer_, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline->handle);
    reinterpret_cast<PFN_vkCmdPushDescriptorSetKHR>(push_descriptors_)(
        buffer_, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline->layout, 0,
        static_cast<uint32_t>(uses.size()), writes);
    vkCmdPushConstants(buffer_, pipeline->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                       static_cast<uint32_t>(params.size()), params.data());
    const bool timed =
        timing_dispatches_ &&
        profile_.enter(buffer_, described(pipeline->name, kernel.constants(), groups), depth_);
    vkCmdDispatch(buffer_, groups[0], groups[1], groups[2]);
    if (timed) profile_.leave(buffer_);
    ++counts_.dispatches;
    for (const Use& use : uses) counts_.bytes += bytes_moved(use);

    if (tracing_) {
        std::string line = described(pipeline->name, kernel.constants(), groups);
        for (const Use& use : uses)
            line += " @" + std::to_string(use.tensor.base) + "+" + std::to_string(use.tensor.bytes);
        for (std::byte b : params) line += " " + std::to_string(static_cast<int>(b));
        trace_.push_back(std::move(line));
    }
}

void Commands::link(params::LinkParams link, ChainTraits traits, std::initializer_list<Use> uses,
                    std::span<const Tensor> older) {
    const auto differ = [](uint32_t a, uint32_t b) { return a != 0 && b != 0 && a != b; };
    const auto written = [&](const Tensor& tensor) {
        return std::ranges::any_of(chain_writes_, [&](const Access& access) {
            for (uint32_t batch = 0; batch < tensor.batch; ++batch)
                if (overlap(access, access_of(read(tensor.at_batch(batch))))) return true;
            return false;
        });
    };
    if (differ(traits.head, chain_traits_.head) || traits.rows != chain_traits_.rows ||
        differ(traits.activation, chain_traits_.activation) || std::ranges::any_of(older, written))
        end_chain();
    if (links_.empty()) {  // end_chain() puts a barrier before the first link
        hazards_.barrier();
        chain_writes_.clear();
        chain_traits_ = {.rows = traits.rows};
        chain_uses_ = 0;
    }
    chain_uses_ |= uses_of(link);
    if (traits.head != 0) chain_traits_.head = traits.head;
    if (traits.activation != 0) chain_traits_.activation = traits.activation;
    chain_traits_.columns = std::max(chain_traits_.columns, traits.columns);
    auto conflicts = [&](const Use& use) { return hazards_.conflicts(access_of(use)); };
    link.waits = std::ranges::any_of(uses, conflicts);
    if (link.waits) {
        links_.back().arrives = 1;
        hazards_.barrier();
    }
    for (const Use& use : uses) {
        hazards_.add(access_of(use));
        // Between the rows of one batch and the next there may be what somebody reads early.
        for (uint32_t batch = 0; use.how != Use::How::read && batch < use.tensor.batch; ++batch)
            chain_writes_.push_back(access_of(write(use.tensor.at_batch(batch))));
        counts_.bytes += bytes_moved(use);
    }
    links_.push_back(link);
}

Tensor Commands::zeros(uint32_t words) {
    if (!zeros_)
        zeros_ = upload(device_, "zeros", std::vector<std::byte>(most_zeros * sizeof(uint32_t)));
    if (words > most_zeros) throw Error("more than " + std::to_string(most_zeros) + " counters");
    return make_tensor(zeros_.handle(), 0, 1, 1, words, Type::u32);
}

Kernel Commands::chain_kernel() const {
    const auto& [rows, head, activation, columns] = chain_traits_;
    constexpr uint32_t threads = 256;
    // A row of a product is held in eights; attention holds two of them for each thread.
    const uint32_t eights = std::max(padded(columns) / 8, (2 * threads + rows - 1) / rows);
    return {"chain", {threads, std::max(head / 8, 1u), activation, chain_uses_, rows, eights}};
}

void Commands::end_chain() {
    if (links_.empty()) return;
    const std::vector<params::LinkParams> links = std::exchange(links_, {});
    if (!stuck_) {
        stuck_ = Buffer(device_, "stuck", sizeof(uint32_t), Memory::readback);
        std::ranges::fill(stuck_.mapped(), std::byte{0});
        stuck_.flush();
    }
    const auto bytes = std::as_bytes(std::span(links));
    const Buffer& program = programs_.emplace_back(upload(device_, "chain of " + name_, bytes));
    const params::ChainParams p{static_cast<uint32_t>(links.size()), chain_patience};
    const Kernel kernel = chain_kernel();
    barrier();
    dispatch(kernel, {kernel.constants()[0] * device_.limits().cores, 1, 1},
             {read(words_in(program)), read_write(zeros(2)), read_write(words_in(stuck_))}, p);
    barrier();
    for (size_t i = 0; tracing_ && i < bytes.size(); i += sizeof links[0]) {
        std::string line = "link";
        for (std::byte b : bytes.subspan(i, sizeof links[0]))
            line += " " + std::to_string(static_cast<int>(b));
        trace_.push_back(std::move(line));
    }
}

void Commands::require_whole_chains() const {
    if (!stuck_) return;
    stuck_.invalidate();
    if (stuck_.mapped()[0] == std::byte{0}) return;
    throw Error(device_.info().name + " does not run the workgroups of '" + name_ +
                "' at the same time; run it again with --no-chains");
}

void Commands::copy_bytes(const Tensor& from, const Tensor& to) {
    const Use uses[] = {read(from), write(to)};
    const Access source = access_of(uses[0]), target = access_of(uses[1]);
    if (source.end - source.begin != target.end - target.begin || from.type != to.type ||
        from.row_stride != to.row_stride)
        throw Error("cannot copy " + from.shape() + " to " + to.shape());
    end_chain();
    if (!device_.executes()) return;
    order(uses);
    const VkBufferCopy region{source.begin, target.begin, source.end - source.begin};
    vkCmdCopyBuffer(buffer_, from.buffer, to.buffer, 1, &region);
    if (tracing_) trace_.push_back("copy " + from.shape());
}

}  // namespace saccade
