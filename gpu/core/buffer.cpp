#include "gpu/core/buffer.h"

#include <utility>

#include "gpu/core/check.h"
#include "gpu/core/device.h"
#include "gpu/core/vma.h"

namespace saccade {

namespace {

// Buffers of this size and more get a dedicated allocation, which is freed with them.
constexpr uint64_t own_allocation_bytes = 1ull << 20;

VmaAllocationCreateInfo allocation_info(Memory memory, uint64_t bytes) {
    VmaAllocationCreateInfo info{};
    if (bytes >= own_allocation_bytes) info.flags |= VMA_ALLOCATION_CREATE_DEDICATED_MEMORY_BIT;
    switch (memory) {
        case Memory::device:
            info.usage = VMA_MEMORY_USAGE_AUTO_PREFER_DEVICE;
            break;
        case Memory::upload:
            info.usage = VMA_MEMORY_USAGE_AUTO_PREFER_HOST;
            info.flags |= VMA_ALLOCATION_CREATE_HOST_ACCESS_SEQUENTIAL_WRITE_BIT |
                          VMA_ALLOCATION_CREATE_MAPPED_BIT;
            break;
        case Memory::mapped:  // in device memory where the CPU can map that
            info.usage = VMA_MEMORY_USAGE_AUTO_PREFER_DEVICE;
            info.flags |= VMA_ALLOCATION_CREATE_HOST_ACCESS_SEQUENTIAL_WRITE_BIT |
                          VMA_ALLOCATION_CREATE_MAPPED_BIT;
            break;
        case Memory::readback:
            info.usage = VMA_MEMORY_USAGE_AUTO_PREFER_HOST;
            info.flags |=
                VMA_ALLOCATION_CREATE_HOST_ACCESS_RANDOM_BIT | VMA_ALLOCATION_CREATE_MAPPED_BIT;
            break;
    }
    return info;
}

}  // namespace

Buffer::Buffer(Device& device, std::string name, uint64_t bytes, Memory memory)
    : device_(&device), name_(std::move(name)), bytes_(bytes) {
    const std::string doing = "allocating " + std::to_string((bytes + (1 << 20) - 1) >> 20) +
                              " MiB for '" + name_ + "' on " + device.info().name;
    if (bytes == 0) throw Error("buffer '" + name_ + "' would be empty");
    if (bytes > device.limits().buffer_bytes) check(VK_ERROR_OUT_OF_DEVICE_MEMORY, doing);
    VkBufferCreateInfo info{.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
    info.size = bytes;
    info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                 VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    if (device.features().addresses) info.usage |= VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
    if (device.features().texel_loads) info.usage |= VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT;
    if (!device.executes()) {
        check(vkCreateBuffer(device.handle(), &info, nullptr, &handle_), doing);
        if (memory != Memory::device) instead_of_memory_.resize(bytes);
        mapped_ = instead_of_memory_.data();
        return;
    }
    const VmaAllocationCreateInfo allocation = allocation_info(memory, bytes);
    VmaAllocationInfo result{};
    check(vmaCreateBuffer(device.allocator(), &info, &allocation, &handle_, &allocation_, &result),
          doing);
    mapped_ = static_cast<std::byte*>(result.pMappedData);
    device.name(handle_, VK_OBJECT_TYPE_BUFFER, name_);
    vmaSetAllocationName(device.allocator(), allocation_, name_.c_str());
}

Buffer::~Buffer() {
    if (allocation_)
        vmaDestroyBuffer(device_->allocator(), handle_, allocation_);
    else if (handle_)
        vkDestroyBuffer(device_->handle(), handle_, nullptr);
}

Buffer& Buffer::operator=(Buffer&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(name_, other.name_);
    std::swap(bytes_, other.bytes_);
    std::swap(handle_, other.handle_);
    std::swap(allocation_, other.allocation_);
    std::swap(mapped_, other.mapped_);
    std::swap(instead_of_memory_, other.instead_of_memory_);
    return *this;
}

void Buffer::flush() const {
    if (!allocation_) return;
    check(vmaFlushAllocation(device_->allocator(), allocation_, 0, VK_WHOLE_SIZE),
          "flushing '" + name_ + "'");
}

void Buffer::invalidate() const {
    if (!allocation_) return;
    check(vmaInvalidateAllocation(device_->allocator(), allocation_, 0, VK_WHOLE_SIZE),
          "reading back '" + name_ + "'");
}

}  // namespace saccade
