#pragma once

#include <string>
#include <vector>

#include "gpu/core/buffer.h"
#include "gpu/core/tensor.h"

namespace saccade {

// A stack allocator for scratch memory. It grows by whole blocks while new shapes are recorded and
// never shrinks, so that a steady frame allocates nothing. Reuse within a recording is safe because
// the recorder puts a barrier between uses of overlapping ranges.
class Arena {
public:
    Arena(Device& device, std::string name) : device_(device), name_(std::move(name)) {}

    Tensor allocate(uint32_t batch, uint32_t rows, uint32_t columns, Type type);

    struct Mark {
        size_t block = 0;
        uint64_t used = 0;
    };
    Mark mark() const { return top_; }
    void release(Mark mark) { top_ = mark; }

    uint64_t bytes() const;

private:
    Device& device_;
    std::string name_;
    std::vector<Buffer> blocks_;
    Mark top_;
};

}  // namespace saccade
