#include "gpu/ops/products/residual_stream.h"

#include <optional>

#include "gpu/ops/common.h"
#include "gpu/ops/products/kernels.h"
#include "gpu/ops/products/tuned_tile.h"

namespace saccade {

namespace {

void cut_into(Tensor& t, uint32_t batches) {
    t.rows = t.all_rows() / batches;
    t.batch = batches;
    t.batch_stride = t.rows * t.row_stride;
}

// The tile of a product that makes y of x.
std::optional<MatrixTile> tile_of(const Commands& c, const Tensor& y, const Tensor& x) {
    const Span span = rows_of(x, y);
    return best_matrix_tile(c.device(), {span.batch, span.rows, y.columns, x.columns});
}

}  // namespace

bool folds_norms(Device& device, uint32_t columns, Type type) {
    return type == Type::f16 && columns % narrowest_part == 0 && held_fragments(device).in_fours;
}

ResidualStream::ResidualStream(Commands& c, const Tensor& z, Type products) : z_(z) {
    if (c.plain_kernels() || z.batch_stride != z.rows * z.row_stride ||
        !folds_norms(c.device(), z.columns, products))
        return;
    halves_ = c.scratch(z.batch, z.rows, z.columns, Type::f16);
    moments_ = c.scratch(1, z.all_rows(), 2 * z.columns / narrowest_part, Type::f32);
}

void ResidualStream::cut(uint32_t batches) {
    require(z_.all_rows() % batches == 0 && z_.batch_stride == z_.rows * z_.row_stride, "stream",
            z_.shape() + " in " + std::to_string(batches) + " batches");
    cut_into(z_, batches);
    if (halves_) cut_into(halves_, batches);
}

void ResidualStream::add(Commands& c, const Tensor& x, const Linear& w) {
    width_ = 0;
    std::optional<MatrixTile> tile;
    if (halves_ && w.fragments && x.type == Type::f16 && loads_eights(x)) tile = tile_of(c, z_, x);
    if (!tile || !can_write_folded(z_, *tile)) return linear_add(c, z_, x, w);
    linear_add_folded(c, z_, x, w, {halves_, moments_}, *tile);
    width_ = tile->bn;
}

Tensor ResidualStream::norm_linear(Commands& c, const NormLinear& w, Activation activation) const {
    const Type type = w.linear.weight.type;
    if (width_ == 0 || !w.folded)
        return linear(c, layer_norm(c, z_, w.norm, type), w.linear, activation);
    const Tensor y = c.scratch(z_.batch, z_.rows, w.linear.weight.rows, type);
    const std::optional<MatrixTile> tile = tile_of(c, y, halves_);
    require(tile.has_value(), "norm_linear", "no tile for " + y.shape());
    linear_of_folded(c, y, {halves_, moments_, width_, w.norm.eps}, w.linear, activation, *tile);
    return y;
}

}  // namespace saccade
