#include "gpu/transfer/download.h"

#include <cstring>

#include "gpu/ops/elementwise.h"

namespace saccade {

void Download::record(Commands& c, const Tensor& from) {
    const Type type = from.type == Type::u32 ? Type::u32 : Type::f32;
    const uint64_t bytes = tensor_bytes(from.batch, from.rows, from.columns, type);
    if (buffer_.bytes() < bytes)
        buffer_ = Buffer(c.device(), c.name() + " results", bytes, Memory::readback);
    tensor_ = make_tensor(buffer_.handle(), 0, from.batch, from.rows, from.columns, type);
    if (type == Type::u32)
        c.copy_bytes(from, tensor_);
    else
        copy(c, tensor_, from);
}

template <typename Element>
std::vector<Element> Download::elements() const {
    buffer_.invalidate();
    std::vector<Element> result(size_t(tensor_.batch) * tensor_.rows * tensor_.columns);
    for (size_t row = 0; row < size_t(tensor_.batch) * tensor_.rows; ++row)
        std::memcpy(&result[row * tensor_.columns],
                    &buffer_.mapped()[row * tensor_.row_stride * sizeof(Element)],
                    tensor_.columns * sizeof(Element));
    return result;
}

std::vector<float> Download::floats() const { return elements<float>(); }
std::vector<uint32_t> Download::words() const { return elements<uint32_t>(); }

}  // namespace saccade
