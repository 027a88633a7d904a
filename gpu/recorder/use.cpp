#include "gpu/recorder/use.h"

#include <algorithm>

namespace saccade {

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

}  // namespace saccade
