#include "gpu/core/tensor.h"

#include "gpu/core/error.h"

namespace saccade {

const char* name_of(Type type) {
    switch (type) {
        case Type::f32:
            return "f32";
        case Type::f16:
            return "f16";
        case Type::u32:
            return "u32";
    }
    return "?";
}

std::string Tensor::shape() const {
    return "(" + std::to_string(batch) + ", " + std::to_string(rows) + ", " +
           std::to_string(columns) + ") " + name_of(type);
}

Tensor Tensor::slice_rows(uint32_t first, uint32_t count) const {
    if (count == 0 || uint64_t(first) + count > rows)
        throw Error("rows " + std::to_string(first) + " to " + std::to_string(first + count) +
                    " do not lie in " + shape());
    Tensor view = *this;
    view.offset += first * row_stride;
    view.rows = count;
    return view;
}

Tensor Tensor::slice_columns(uint32_t first, uint32_t count) const {
    if (count == 0 || uint64_t(first) + count > columns || first % 4 != 0)
        throw Error("columns " + std::to_string(first) + " to " + std::to_string(first + count) +
                    " cannot be cut from " + shape());
    Tensor view = *this;
    view.offset += first;
    view.columns = count;
    return view;
}

Tensor Tensor::flat() const {
    if (batch > 1 && batch_stride != rows * row_stride)
        throw Error("a tensor " + shape() + " with gaps between its batches cannot be flattened");
    Tensor view = *this;
    view.batch = 1;
    view.rows = batch * rows;
    view.batch_stride = view.rows * row_stride;
    return view;
}

Tensor Tensor::at_batch(uint32_t index) const {
    if (index >= batch)
        throw Error("batch " + std::to_string(index) + " does not lie in " + shape());
    Tensor view = *this;
    view.offset += index * batch_stride;
    view.batch = 1;
    return view;
}

Tensor Tensor::every_batch(uint32_t step) const {
    if (step == 0 || batch % step != 0)
        throw Error(shape() + " does not consist of groups of " + std::to_string(step) +
                    " batches");
    Tensor view = *this;
    view.batch = batch / step;
    view.batch_stride = step * batch_stride;
    return view;
}

Tensor Tensor::batches_as_rows(uint32_t count) const {
    if (rows != 1) throw Error("the batches of " + shape() + " are more than a row each");
    Tensor view = every_batch(count);
    view.rows = count;
    view.row_stride = batch_stride;
    return view;
}

Tensor Tensor::rows_as_batches() const {
    if (batch > 1 && batch_stride != rows * row_stride)
        throw Error("a tensor " + shape() + " with gaps between its batches has no even rows");
    Tensor view = *this;
    view.batch = batch * rows;
    view.rows = 1;
    view.batch_stride = row_stride;
    return view;
}

uint64_t tensor_bytes(uint32_t batch, uint32_t rows, uint32_t columns, Type type) {
    return uint64_t(batch) * rows * padded(columns) * bytes_of(type);
}

Tensor make_tensor(VkBuffer buffer, uint64_t base, uint32_t batch, uint32_t rows, uint32_t columns,
                   Type type) {
    const uint64_t bytes = tensor_bytes(batch, rows, columns, type);
    if (batch == 0 || rows == 0 || columns == 0 || bytes / bytes_of(type) > UINT32_MAX)
        throw Error("a tensor of (" + std::to_string(batch) + ", " + std::to_string(rows) + ", " +
                    std::to_string(columns) + ") cannot be made");
    Tensor t;
    t.buffer = buffer;
    t.base = base;
    t.bytes = bytes;
    t.type = type;
    t.batch = batch;
    t.rows = rows;
    t.columns = columns;
    t.row_stride = padded(columns);
    t.batch_stride = rows * t.row_stride;
    return t;
}

}  // namespace saccade
