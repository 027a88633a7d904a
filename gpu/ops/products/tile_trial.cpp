#include "gpu/ops/products/tile_trial.h"

#include <algorithm>

#include "gpu/ops/common.h"
#include "gpu/ops/products/kernels.h"

namespace saccade {

std::string joined(std::initializer_list<uint32_t> numbers, const char* between) {
    std::string text;
    for (const uint32_t number : numbers)
        text += (text.empty() ? "" : between) + std::to_string(number);
    return text;
}

std::string name_of_tile(const ProductTile& t) {
    return joined({t.bm, t.bn, t.bk}, "x") + "/" + std::to_string(t.splits);
}

std::string name_of_tile(const MatrixTile& t) {
    return joined({t.bm, t.bn, t.bk, t.wm, t.wn, t.ahead}, "x") + "*" + std::to_string(t.shares) +
           "/" + std::to_string(t.splits);
}

std::string text(const Product& p) { return joined({p.batch, p.rows, p.columns, p.depth}, "x"); }

Tensor Factors::make(Device& device, uint32_t batch, uint32_t rows, uint32_t columns, Type type) {
    const uint64_t bytes = tensor_bytes(batch, rows, columns, type);
    const Buffer& buffer = buffers.emplace_back(device, "measuring", bytes, Memory::device);
    return make_tensor(buffer.handle(), 0, batch, rows, columns, type);
}

Factors factors_of(Device& device, const Product& p, Type type, Type out, bool in_fragments) {
    Factors made;
    made.x = made.make(device, p.batch, p.rows, p.depth, type);
    made.y = made.make(device, p.batch, p.rows, p.columns, out);
    made.w.weight = make_tensor(nullptr, 0, 1, p.columns, p.depth, type);
    if (in_fragments) {
        const FragmentsSize size = fragments_size(device, made.w.weight);
        made.w.fragments = made.make(device, 1, size.rows, size.columns, type);
    } else {
        made.w.weight = made.make(device, 1, p.columns, p.depth, type);
    }
    return made;
}

bool can_be_measured(const Product& p, Type type) {
    return tensor_bytes(p.batch, p.rows, std::max(p.columns, p.depth), type) <=
               most_measured_bytes &&
           tensor_bytes(1, p.columns, p.depth, type) <= most_measured_bytes;
}

void multiply_by_tile(Commands& c, const Factors& f, const MatrixTile& tile, Activation activation,
                      bool add) {
    linear_on_matrices(c, f.y, f.x, f.w, {activation, add}, tile);
}

void multiply_by_tile(Commands& c, const Factors& f, const ProductTile& tile, Activation activation,
                      bool add) {
    linear_tiled(c, f.y, f.x, f.w, {activation, add}, tile);
}

}  // namespace saccade
