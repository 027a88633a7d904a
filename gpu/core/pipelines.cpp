#include "gpu/core/pipelines.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

#include "gpu/core/check.h"
#include "gpu/core/device.h"
#include "gpu/core/error.h"
#include "gpu/core/files.h"
#include "shaders/common/params.h"
#include "shaders/embedded.h"

namespace saccade {

namespace {

const EmbeddedShader& find_shader(std::string_view name) {
    for (const EmbeddedShader& shader : embedded_shaders())
        if (shader.name == name) return shader;
    throw Error("no shader is called '" + std::string(name) + "'");
}

VkDescriptorType descriptor_type(Reflection::Binding binding) {
    switch (binding) {
        case Reflection::Binding::buffer:
            return VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
        case Reflection::Binding::image:
            return VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
        case Reflection::Binding::texels:
            break;
    }
    return VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER;
}

uint64_t fnv1a(std::span<const std::byte> bytes) {
    uint64_t hash = 0xcbf29ce484222325;
    for (std::byte b : bytes) hash = (hash ^ static_cast<uint64_t>(b)) * 0x100000001b3;
    return hash;
}

// Precedes the driver's data in the file. Not every driver survives a damaged cache, so a hash
// protects it.
struct CacheHeader {
    char magic[8] = {'S', 'A', 'C', 'C', 'A', 'D', 'E', '1'};
    uint64_t bytes = 0, hash = 0;
};

// Creates the layouts for the bindings of the shader. `doing` is for errors.
void make_layouts(Device& device, Pipeline& pipeline, const std::string& doing) {
    const Reflection& reflection = pipeline.reflection;
    std::vector<VkDescriptorSetLayoutBinding> bindings;
    for (uint32_t i = 0; i < reflection.bindings.size(); ++i)
        bindings.push_back(
            {i, descriptor_type(reflection.bindings[i]), 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr});
    VkDescriptorSetLayoutCreateInfo set{.sType =
                                            VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
    set.flags = VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR;
    set.bindingCount = static_cast<uint32_t>(bindings.size());
    set.pBindings = bindings.data();
    check(vkCreateDescriptorSetLayout(device.handle(), &set, nullptr, &pipeline.set_layout), doing);
    device.name(pipeline.set_layout, VK_OBJECT_TYPE_DESCRIPTOR_SET_LAYOUT, pipeline.name);

    VkPushConstantRange push{VK_SHADER_STAGE_COMPUTE_BIT, 0, reflection.push_constant_bytes};
    VkPipelineLayoutCreateInfo layout{.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    layout.setLayoutCount = 1;
    layout.pSetLayouts = &pipeline.set_layout;
    layout.pushConstantRangeCount = push.size ? 1 : 0;
    layout.pPushConstantRanges = &push;
    check(vkCreatePipelineLayout(device.handle(), &layout, nullptr, &pipeline.layout), doing);
    device.name(pipeline.layout, VK_OBJECT_TYPE_PIPELINE_LAYOUT, pipeline.name);
}

}  // namespace

Kernel::Kernel(std::string_view shader, std::initializer_list<uint32_t> constants) {
    append(shader);
    take({constants.begin(), constants.size()});
}

Kernel::Kernel(std::string_view shader, Type type, std::initializer_list<uint32_t> constants)
    : Kernel(shader, type, type, constants) {}

Kernel::Kernel(std::string_view shader, Type in, Type out,
               std::initializer_list<uint32_t> constants)
    : Kernel(shader, in, out, std::span(constants.begin(), constants.size())) {}

Kernel::Kernel(std::string_view shader, Type in, Type out, std::span<const uint32_t> constants) {
    append(shader);
    append(".");
    append(name_of(in));
    if (in != out) {
        append("_");
        append(name_of(out));
    }
    take(constants);
}

Kernel Kernel::variant(std::string_view suffix) const {
    Kernel other = *this;
    other.append(suffix);
    return other;
}

void Kernel::append(std::string_view text) {
    if (name_length_ + text.size() > name_.size())
        throw Error("the shader name '" + std::string(text) + "' is too long");
    std::ranges::copy(text, name_.begin() + name_length_);
    name_length_ += static_cast<uint32_t>(text.size());
}

void Kernel::take(std::span<const uint32_t> constants) {
    if (constants.size() > constants_.size()) throw Error("too many specialisation constants");
    std::ranges::copy(constants, constants_.begin());
    constant_count_ = static_cast<uint32_t>(constants.size());
}

size_t Kernel::Hash::operator()(const Kernel& kernel) const {
    return static_cast<size_t>(fnv1a(std::as_bytes(std::span(&kernel, 1))));
}
static_assert(std::has_unique_object_representations_v<Kernel>, "Kernel is hashed as bytes");

std::string described(std::string_view name, std::span<const uint32_t> constants) {
    std::string text(name);
    for (uint32_t constant : constants) text += " #" + std::to_string(constant);
    return text;
}

Pipeline::~Pipeline() {
    vkDestroyPipeline(device, handle, nullptr);
    vkDestroyPipelineLayout(device, layout, nullptr);
    vkDestroyDescriptorSetLayout(device, set_layout, nullptr);
}

Pipelines::Pipelines(Device& device, std::string cache_file)
    : device_(device), cache_file_(std::move(cache_file)) {
    load();
}

Pipelines::~Pipelines() {
    save();
    vkDestroyPipelineCache(device_.handle(), cache_, nullptr);
}

bool Pipelines::built(std::string_view shader) {
    return std::ranges::any_of(embedded_shaders(),
                               [&](const EmbeddedShader& s) { return s.name == shader; });
}

const Pipeline& Pipelines::get(const Kernel& kernel) {
    std::vector<uint32_t> code;
    {
        const std::scoped_lock lock(mutex_);
        const auto found = pipelines_.find(kernel);
        if (found != pipelines_.end()) return *found->second;
        const auto other = replaced_.find(kernel.name());
        const std::span<const uint32_t> built = find_shader(kernel.name()).code;
        code = other == replaced_.end() ? std::vector(built.begin(), built.end()) : other->second;
    }
    std::unique_ptr<Pipeline> made = create(kernel, code);
    const std::scoped_lock lock(
        mutex_);  // where two threads made the same pipeline, the first one is kept
    return *pipelines_.try_emplace(kernel, std::move(made)).first->second;
}

const Pipeline& Pipelines::best(const Kernel& kernel) {
    if (device_.features().texel_loads)
        if (const Kernel texels = kernel.variant(".texels"); built(texels.name()))
            return get(texels);
    return get(kernel);
}

size_t Pipelines::count() const {
    const std::scoped_lock lock(mutex_);
    return pipelines_.size();
}

std::vector<Pipelines::Report> Pipelines::reports() const {
    const auto statistics = reinterpret_cast<PFN_vkGetPipelineExecutableStatisticsKHR>(
        vkGetDeviceProcAddr(device_.handle(), "vkGetPipelineExecutableStatisticsKHR"));
    const std::scoped_lock lock(mutex_);
    std::vector<Report> reports;
    for (const auto& [kernel, pipeline] : pipelines_) {
        Report& report =
            reports.emplace_back(Report{described(pipeline->name, kernel.constants()), {}});
        if (!statistics) continue;
        VkPipelineExecutableInfoKHR which{.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR};
        which.pipeline = pipeline->handle;
        uint32_t count = 0;
        check(statistics(device_.handle(), &which, &count, nullptr), "asking about a kernel");
        std::vector<VkPipelineExecutableStatisticKHR> all(
            count, {.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_STATISTIC_KHR});
        check(statistics(device_.handle(), &which, &count, all.data()), "asking about a kernel");
        for (const VkPipelineExecutableStatisticKHR& s : all) {
            const bool real = s.format == VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_FLOAT64_KHR;
            // NVIDIA's driver leaves the upper 32 bits undefined.
            report.numbers.emplace_back(
                s.name, real ? static_cast<uint64_t>(s.value.f64) : s.value.u64 & UINT32_MAX);
        }
    }
    std::ranges::sort(reports, {}, &Report::kernel);
    return reports;
}

void Pipelines::replace(std::string_view shader, std::vector<uint32_t> code) {
    const Reflection old = reflect(find_shader(shader).code, shader), now = reflect(code, shader);
    if (now.bindings != old.bindings || now.texels != old.texels ||
        now.push_constant_bytes != old.push_constant_bytes ||
        now.spec_constants != old.spec_constants)
        throw Error("shader '" + std::string(shader) +
                    "' takes other parameters than this program gives it: build it anew");
    std::vector<Kernel> kernels;
    {
        const std::scoped_lock lock(mutex_);
        for (const auto& [kernel, pipeline] : pipelines_)
            if (kernel.name() == shader) kernels.push_back(kernel);
    }
    std::vector<std::unique_ptr<Pipeline>> made;
    for (const Kernel& kernel : kernels) made.push_back(create(kernel, code));
    const std::scoped_lock lock(mutex_);
    replaced_.insert_or_assign(std::string(shader), std::move(code));
    for (size_t i = 0; i < kernels.size(); ++i)
        retired_.push_back(std::exchange(pipelines_[kernels[i]], std::move(made[i])));
}

std::unique_ptr<Pipeline> Pipelines::create(const Kernel& kernel, std::span<const uint32_t> code) {
    auto pipeline = std::make_unique<Pipeline>(device_.handle());
    pipeline->name = kernel.name();
    pipeline->reflection = reflect(code, pipeline->name);
    Reflection& reflection = pipeline->reflection;
    const std::string where = "shader '" + pipeline->name + "'";

    const std::span<const uint32_t> constants = kernel.constants();
    if (constants.size() != reflection.spec_constants.size())
        throw Error(where + " has " + std::to_string(reflection.spec_constants.size()) +
                    " specialisation constants, " + std::to_string(constants.size()) + " given");
    uint32_t threads = 1;
    for (int axis = 0; axis < 3; ++axis) {
        uint32_t& size = reflection.local_size[axis];
        if (int spec = reflection.local_size_spec[axis]; spec >= 0)
            size = constants[static_cast<size_t>(spec)];
        threads *= size;
        if (size == 0 || size > device_.limits().workgroup_size[axis] ||
            threads > device_.limits().workgroup_threads)
            throw Error(where + " asks for a workgroup that " + device_.info().name +
                        " does not have");
    }
    if (reflection.push_constant_bytes > device_.limits().push_constant_bytes)
        throw Error(where + " needs more push constants than " + device_.info().name + " has");

    const std::string doing = "building " + where + " for " + device_.info().name;
    make_layouts(device_, *pipeline, doing);

    VkShaderModuleCreateInfo module_info{.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
    module_info.codeSize = code.size_bytes();
    module_info.pCode = code.data();
    VkShaderModule module = nullptr;
    check(vkCreateShaderModule(device_.handle(), &module_info, nullptr, &module), doing);

    std::vector<uint32_t> values(constants.begin(), constants.end());
    std::vector<VkSpecializationMapEntry> entries;
    for (uint32_t i = 0; i < values.size(); ++i) entries.push_back({i, i * 4, 4});
    if (reflection.native_halves) {
        entries.push_back({NATIVE_HALVES_ID, static_cast<uint32_t>(values.size()) * 4, 4});
        values.push_back(device_.is_cpu() ? 0 : 1);
    }
    VkSpecializationInfo specialization{static_cast<uint32_t>(entries.size()), entries.data(),
                                        values.size() * 4, values.data()};
    VkComputePipelineCreateInfo info{.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.stage.module = module;
    info.stage.pName = "main";
    info.stage.pSpecializationInfo = &specialization;
    info.layout = pipeline->layout;
    if (!device_.executes() && device_.features().pipeline_statistics)
        info.flags |= VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR;
    // Cooperative matrices need full subgroups of the reported size.
    VkPipelineShaderStageRequiredSubgroupSizeCreateInfo subgroup{
        .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO};
    subgroup.requiredSubgroupSize = device_.limits().subgroup_size;
    if (reflection.whole_subgroups && device_.features().subgroup_size_control) {
        info.stage.flags = VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT;
        info.stage.pNext = &subgroup;
    }
    const VkResult result =
        vkCreateComputePipelines(device_.handle(), cache_, 1, &info, nullptr, &pipeline->handle);
    vkDestroyShaderModule(device_.handle(), module, nullptr);
    check(result, doing);
    device_.name(pipeline->handle, VK_OBJECT_TYPE_PIPELINE, pipeline->name);
    unsaved_ = true;
    return pipeline;
}

void Pipelines::load() {
    std::vector<char> data;
    std::error_code ignored;
    // Only a regular file: opening a named pipe would block.
    std::ifstream file;
    if (std::filesystem::is_regular_file(cache_file_, ignored))
        file.open(cache_file_, std::ios::binary);
    if (file.is_open()) {
        CacheHeader header, wanted;
        const uint64_t bytes = std::filesystem::file_size(cache_file_, ignored);
        if (file.read(reinterpret_cast<char*>(&header), sizeof header) &&
            std::memcmp(header.magic, wanted.magic, sizeof wanted.magic) == 0 &&
            header.bytes + sizeof header == bytes) {
            data.resize(header.bytes);
            const bool whole = bool(file.read(data.data(), std::streamsize(data.size())));
            if (!whole || fnv1a(std::as_bytes(std::span(data))) != header.hash) data.clear();
        }
    }
    VkPipelineCacheCreateInfo info{.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
    info.initialDataSize = data.size();
    info.pInitialData = data.data();
    // The driver rejects the data of another driver or device.
    if (vkCreatePipelineCache(device_.handle(), &info, nullptr, &cache_) != VK_SUCCESS) {
        info.initialDataSize = 0;
        check(vkCreatePipelineCache(device_.handle(), &info, nullptr, &cache_),
              "creating the pipeline cache");
    }
    device_.name(cache_, VK_OBJECT_TYPE_PIPELINE_CACHE, "pipeline cache");
}

void Pipelines::save() try {
    if (cache_file_.empty() || !unsaved_) return;
    unsaved_ = false;
    size_t bytes = 0;
    if (vkGetPipelineCacheData(device_.handle(), cache_, &bytes, nullptr) != VK_SUCCESS) return;
    std::vector<char> data(bytes);
    if (vkGetPipelineCacheData(device_.handle(), cache_, &bytes, data.data()) != VK_SUCCESS) return;
    data.resize(bytes);
    CacheHeader header;
    header.bytes = bytes;
    header.hash = fnv1a(std::as_bytes(std::span(data)));

    const std::filesystem::path path(cache_file_);
    if (path.has_parent_path()) make_folder(path.parent_path());
    FileBeside::remove_leftovers(path.has_parent_path() ? path.parent_path() : ".");
    NewFile file(path);
    file.write(std::as_bytes(std::span(&header, 1)));
    file.write(std::as_bytes(std::span(data)));
    file.finish();
} catch (const std::exception&) {
    // The next run compiles again.
}

}  // namespace saccade
