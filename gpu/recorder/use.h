#pragma once

#include <cstdint>

#include "gpu/core/image.h"
#include "gpu/core/tensor.h"
#include "gpu/recorder/hazards.h"

namespace saccade {

// How a dispatch uses a tensor or an image. The first use is binding 0, and so on.
struct Use {
    enum class How { read, write, read_write } how;
    Tensor tensor;
    const Image* image = nullptr;
    uint64_t bytes = 0;  // that it moves, where that is not the whole tensor; 0: the whole
};
inline Use read(const Tensor& t) { return {Use::How::read, t}; }
// This many rows of a table. The shader decides which, so hazards cover all of it.
inline Use read_some(const Tensor& t, uint32_t rows) {
    return {Use::How::read, t, nullptr, tensor_bytes(1, rows, t.columns, t.type)};
}
inline Use write(const Tensor& t) { return {Use::How::write, t}; }
inline Use read_write(const Tensor& t) { return {Use::How::read_write, t}; }
inline Use read(const Image& i) { return {Use::How::read, {}, &i}; }
inline Use write(const Image& i) { return {Use::How::write, {}, &i}; }
inline Use read_write(const Image& i) { return {Use::How::read_write, {}, &i}; }

// The memory that a use touches.
Access access_of(const Use& use);
// The bytes that a use reads and writes, without caches.
uint64_t bytes_moved(const Use& use);

}  // namespace saccade
