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

// Names a kernel: shader, storage types, and the specialisation constants 0, 1, 2, ... in order.
// It fits into a few words, so that looking one up costs no allocation.
class Kernel {
public:
    Kernel(std::string_view shader, std::initializer_list<uint32_t> constants = {});
    Kernel(std::string_view shader, Type type, std::initializer_list<uint32_t> constants = {});
    Kernel(std::string_view shader, Type in, Type out,
           std::initializer_list<uint32_t> constants = {});
    Kernel(std::string_view shader, Type in, Type out, std::span<const uint32_t> constants);

    std::string_view name() const { return {name_.data(), name_length_}; }
    // The same kernel, of a shader whose name has a suffix.
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

// A kernel in words: its name, and its constants.
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

// Makes pipelines when they are first asked for and keeps them; the driver's compiled code
// outlives the program in a cache file.
class Pipelines {
public:
    Pipelines(Device& device, std::string cache_file);
    ~Pipelines();
    Pipelines(const Pipelines&) = delete;
    Pipelines& operator=(const Pipelines&) = delete;

    // Whether this program has the shader: an old shader compiler leaves some out.
    static bool built(std::string_view shader);
    // Any thread may ask; one that finds its kernel made does not wait for another's compiler.
    const Pipeline& get(const Kernel& kernel);
    // The variant of it that suits the device best.
    const Pipeline& best(const Kernel& kernel);
    size_t count() const;
    // What the driver's compiler made of the pipelines so far, by name. Only of a device that does
    // not execute, and whose driver tells.
    struct Report {
        std::string kernel;  // with its constants
        std::vector<std::pair<std::string, uint64_t>> numbers;  // as the driver calls them
    };
    std::vector<Report> reports() const;
    // Other code for a shader from now on, for who is writing it. What was recorded with the old
    // code stays good. Throws, and changes nothing, where the new code is damaged or takes other
    // parameters than the old.
    void replace(std::string_view shader, std::vector<uint32_t> code);
    // Writes the cache file if pipelines have been made since it was read. A failure to write is
    // no reason to fail: the next start is merely slower.
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
    std::map<std::string, std::vector<uint32_t>, std::less<>> replaced_;  // shaders' new code
    std::vector<std::unique_ptr<Pipeline>> retired_;
};

}  // namespace saccade
