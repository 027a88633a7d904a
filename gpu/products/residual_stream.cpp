#include "gpu/residual_stream.h"

#include "gpu/ops/common.h"
#include "gpu/ops/tiled.h"

namespace saccade {

namespace {

// The narrowest tile of a product: no row has more moments than its columns have of these.
constexpr uint32_t narrowest_tile = 64;

void cut_into(Tensor& t, uint32_t batches) {
    t.rows = t.all_rows() / batches;
    t.batch = batches;
    t.batch_stride = t.rows * t.row_stride;
}

}  // namespace

bool folds_norms(Device& device, uint32_t columns, Type type) {
    return type == Type::f16 && columns % narrowest_tile == 0 && held_fragments(device).in_fours;
}

ResidualStream::ResidualStream(Commands& c, const Tensor& z, Type products) : z_(z) {
    if (c.plain_kernels() || z.batch_stride != z.rows * z.row_stride ||
        !folds_norms(c.device(), z.columns, products))
        return;
    halves_ = c.scratch(z.batch, z.rows, z.columns, Type::f16);
    moments_ = c.scratch(1, z.all_rows(), 2 * z.columns / narrowest_tile, Type::f32);
}

void ResidualStream::cut(uint32_t batches) {
    require(z_.all_rows() % batches == 0 && z_.batch_stride == z_.rows * z_.row_stride, "stream",
            z_.shape() + " in " + std::to_string(batches) + " batches");
    cut_into(z_, batches);
    if (halves_) cut_into(halves_, batches);
}

void ResidualStream::add(Commands& c, const Tensor& x, const Linear& w) {
    width_ = 0;
    if (halves_)
        width_ = linear_add_noting(c, z_, x, w, {halves_, moments_});
    else
        linear_add(c, z_, x, w);
}

Tensor ResidualStream::norm_linear(Commands& c, const NormLinear& w, Activation activation) const {
    const Type type = w.linear.weight.type;
    if (width_ == 0 || !w.folded)
        return linear(c, layer_norm(c, z_, w.norm, type), w.linear, activation);
    const Tensor y = c.scratch(z_.batch, z_.rows, w.linear.weight.rows, type);
    linear_of_noted(c, y, w.linear, activation,
                    {halves_, moments_, width_, w.norm.eps});
    return y;
}

}  // namespace saccade
