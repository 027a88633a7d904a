#include "gpu/recorder/arena.h"

#include <algorithm>

namespace saccade {

namespace {

constexpr uint64_t block_bytes = 4ull << 20;
// Vulkan's limit for minStorageBufferOffsetAlignment.
constexpr uint64_t alignment = 256;

uint64_t aligned(uint64_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

}  // namespace

Tensor Arena::allocate(uint32_t batch, uint32_t rows, uint32_t columns, Type type) {
    const uint64_t bytes = aligned(tensor_bytes(batch, rows, columns, type));
    // Blocks above the top are empty: take the first that is large enough.
    Mark at = top_;
    while (at.block < blocks_.size() && at.used + bytes > blocks_[at.block].bytes())
        at = {at.block + 1, 0};
    if (at.block == blocks_.size())
        blocks_.emplace_back(device_, name_ + " " + std::to_string(blocks_.size()),
                             std::max(bytes, block_bytes), Memory::device);
    top_ = {at.block, at.used + bytes};
    return make_tensor(blocks_[at.block].handle(), at.used, batch, rows, columns, type);
}

uint64_t Arena::bytes() const {
    uint64_t total = 0;
    for (const Buffer& block : blocks_) total += block.bytes();
    return total;
}

}  // namespace saccade
