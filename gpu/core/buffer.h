#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gpu/core/handles.h"

namespace saccade {

class Device;

// The kind of memory of a buffer, by which side writes and which side reads it.
enum class Memory {
    device,    // the GPU writes, the GPU reads: weights, activations
    upload,    // the CPU writes once in order, the GPU reads: frames, staged weights
    mapped,    // the CPU writes now and then, the GPU reads at every frame: settings, glyphs
    readback,  // the GPU writes, the CPU reads: results
};

// A VkBuffer with its memory. Move-only: it has one owner.
class Buffer {
public:
    Buffer() = default;
    Buffer(Device& device, std::string name, uint64_t bytes, Memory memory);
    ~Buffer();
    Buffer(Buffer&& other) noexcept { *this = std::move(other); }
    Buffer& operator=(Buffer&& other) noexcept;

    explicit operator bool() const { return handle_ != nullptr; }
    VkBuffer handle() const { return handle_; }
    uint64_t bytes() const { return bytes_; }
    const std::string& name() const { return name_; }

    // Empty for Memory::device. All other buffers stay mapped as long as they live.
    std::span<std::byte> mapped() const { return {mapped_, mapped_ ? bytes_ : 0}; }
    // flush() makes writes of the CPU visible to the GPU, invalidate() those of the GPU to the CPU.
    // Both are free on coherent memory.
    void flush() const;
    void invalidate() const;

private:
    Device* device_ = nullptr;
    std::string name_;
    uint64_t bytes_ = 0;
    VkBuffer handle_ = nullptr;
    VmaAllocation allocation_ = nullptr;
    std::byte* mapped_ = nullptr;
    std::vector<std::byte> instead_of_memory_;  // on a device that does not execute
};

}  // namespace saccade
