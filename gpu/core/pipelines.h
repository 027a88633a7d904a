#pragma once

#include <array>
#include <atomic>
#include <initializer_list>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "gpu/core/handles.h"
#include "gpu/core/spirv.h"
#include "gpu/core/tensor.h"

namespace saccade {

class Device;

// Names a kernel: its shader, storage types, and the specialisation constants 0, 1, 2, ... It has a
// fixed size, so that a lookup allocates nothing.
class Kernel {
public:
    Kernel(std::string_view shader, std::initializer_list<uint32_t> constants = {});
    Kernel(std::string_view shader, Type type, std::initializer_list<uint32_t> constants = {});
    Kernel(std::string_view shader, Type in, Type out,
           std::initializer_list<uint32_t> constants = {});
    Kernel(std::string_view shader, Type in, Type out, std::span<const uint32_t> constants);

    std::string_view name() const { return {name_.data(), name_length_}; }
    // The same kernel of a shader whose name has this suffix.
    Kernel variant(std::string_view suffix) const;
    std::span<const uint32_t> constants() const { return {constants_.data(), constant_count_}; }
    bool operator==(const Kernel&) const = default;
    struct Hash {
        size_t operator()(const Kernel& kernel) const;
    };

private:
    void append(std::string_view text);
    void take(std::span<const uint32_t> constants);

    std::array<char, 40> name_{};
    std::array<uint32_t, 24> constants_{};
    uint32_t name_length_ = 0, constant_count_ = 0;
};

// The name of a kernel and its constants, as text.
std::string described(std::string_view name, std::span<const uint32_t> constants);

// A compiled kernel and its layout.
struct Pipeline {
    explicit Pipeline(VkDevice owner) : device(owner) {}
    ~Pipeline();
    Pipeline(const Pipeline&) = delete;
    Pipeline& operator=(const Pipeline&) = delete;

    VkDevice device;
    std::string name;
    Reflection reflection;  // with the workgroup size as specialised
    VkDescriptorSetLayout set_layout = nullptr;
    VkPipelineLayout layout = nullptr;
    VkPipeline handle = nullptr;
};

// Creates pipelines at their first use and keeps them. A VkPipelineCache file keeps the compiled
// code from run to run.
class Pipelines {
public:
    Pipelines(Device& device, std::string cache_file);
    ~Pipelines();
    Pipelines(const Pipelines&) = delete;
    Pipelines& operator=(const Pipelines&) = delete;

    // Whether this build has the shader: an old shader compiler leaves some out.
    static bool built(std::string_view shader);
    // Any thread may call this. A lookup does not wait while another thread compiles.
    const Pipeline& get(const Kernel& kernel);
    // The best variant of the kernel for this device.
    const Pipeline& best(const Kernel& kernel);
    size_t count() const;
    // The driver's statistics about each pipeline, sorted by name. Only on a device that does not
    // execute, with VK_KHR_pipeline_executable_properties.
    struct Report {
        std::string kernel;                                     // with its constants
        std::vector<std::pair<std::string, uint64_t>> numbers;  // by the driver's names
    };
    std::vector<Report> reports() const;
    // Hot reload: new code for a shader. Recordings with the old code stay valid. Throws, and
    // changes nothing, where the new code is damaged or has another interface.
    void replace(std::string_view shader, std::vector<uint32_t> code);
    // Writes the cache file if it lacks pipelines. Errors are ignored: the next start is only
    // slower.
    void save();

private:
    std::unique_ptr<Pipeline> create(const Kernel& kernel, std::span<const uint32_t> code);
    void load();

    Device& device_;
    std::string cache_file_;
    VkPipelineCache cache_ = nullptr;
    std::atomic<bool> unsaved_ = false;
    mutable std::mutex mutex_;  // guards the map
    std::unordered_map<Kernel, std::unique_ptr<Pipeline>, Kernel::Hash> pipelines_;
    std::map<std::string, std::vector<uint32_t>, std::less<>> replaced_;  // new code of shaders
    std::vector<std::unique_ptr<Pipeline>> retired_;
};

}  // namespace saccade
