#include "gpu/ops/products.h"

#include <algorithm>

#include "gpu/ops/common.h"
#include "gpu/ops/products/fragments.h"
#include "gpu/ops/products/kernels.h"
#include "gpu/ops/products/tuned_tile.h"
#include "shaders/products/params.h"

namespace saccade {

namespace {

// The activation, and the tensor that is added to the sums, if any. It may be the result itself:
// each element is read by the thread that writes it.
struct Epilogue {
    Activation activation = Activation::none;
    Tensor r = {};
    uint32_t residual = params::residual_none;
};

params::Conv2dConstants constants_of(const Conv2d& w, const Epilogue& epilogue) {
    return {.activation = static_cast<uint32_t>(epilogue.activation),
            .residual = epilogue.residual,
            .pointwise = area(w.kernel) == 1 && w.padding == 0 ? 1u : 0u};
}

params::Conv2dParams params_of(const Tensor& y, const Tensor& x, Size size, const Conv2d& w,
                               const Tensor& r) {
    const Size out = w.out_size(size);
    return {view(x),   view(y),    view(r),    size.y,     size.x,
            out.y,     out.x,      w.kernel.y, w.kernel.x, w.stride,
            w.padding, w.dilation, x.columns,  y.columns,  w.weight.row_stride,
            w.gain,    w.shift};
}

void record_tiled(Commands& c, const Tensor& y, const Tensor& x, Size size, const Conv2d& w,
                  const Epilogue& epilogue, const ProductTile& t) {
    auto scope = c.scope("product");  // gives the splits' memory back
    const auto [sums, arrived] = split_uses(c, t, w.weight);
    const Tensor& r = epilogue.residual ? epilogue.r : x;
    c.dispatch(Kernel("conv2d.tiled", x.type, y.type,
                      params::constants_of(t.constants(), constants_of(w, epilogue))),
               {divide_up(padded(y.columns), t.bn) * t.threads, divide_up(y.rows, t.bm),
                y.batch * t.splits},
               {read(x), read(w.weight), read(w.bias), read(r), write(y), sums, arrived},
               params_of(y, x, size, w, r));
}

void record_matrix(Commands& c, const Tensor& y, const Tensor& from, Size size, const Conv2d& w,
                   const Epilogue& epilogue, const MatrixTile& t) {
    auto scope = c.scope("product");  // gives the splits' memory back
    const Tensor x = loadable(c, from);
    const Tensor& r = epilogue.residual ? epilogue.r : x;
    const struct {
        params::Conv2dParams convolution;
        params::ProductAddresses addresses;
    } p{params_of(y, x, size, w, r), product_addresses(c.device(), x, w.fragments)};
    const auto [sums, arrived] = split_uses(c, t, w.fragments);
    c.dispatch(Kernel("conv2d.coopmat", x.type, y.type,
                      params::constants_of(t.constants(held_fragments(c.device()), y),
                                           constants_of(w, epilogue))),
               {divide_up(padded(y.columns), t.bn) * t.threads, divide_up(y.rows, t.bm),
                y.batch * t.splits},
               {read(x), read(w.fragments), read(w.bias), read(r), write(y), sums, arrived}, p);
}

// On cooperative matrices, where they are available and pay, or where no other kernel can read the
// weight.
std::optional<MatrixTile> matrix_tile(const Commands& c, const Tensor& y, const Tensor& x,
                                      const Conv2d& w) {
    const bool alone = w.fragments && !can_be_read(w.weight);
    if (!w.fragments || (!alone && (!loads_eights(x) || c.plain_kernels()))) return std::nullopt;
    const uint32_t rows = alone ? std::max(y.rows, fewest_matrix_rows) : y.rows;
    return best_matrix_tile(c.device(), {y.batch, rows, y.columns, w.weight.columns});
}

void record(Commands& c, const Tensor& y, const Tensor& x, Size size, const Conv2d& w,
            const Epilogue& epilogue) {
    constexpr const char* op = "conv2d";
    const Size out = w.out_size(size);
    require(x.rows == area(size) && x.columns == w.in, op,
            x.shape() + " is not a picture of " + text(size) + " and " + std::to_string(w.in) +
                " channels");
    require(area(out) > 0, op, "a picture of " + text(size) + " is smaller than the kernel");
    require(w.weight.columns == area(w.kernel) * padded(w.in) && w.weight.batch == 1 &&
                w.weight.offset == 0 && w.weight.type == x.type,
            op, "weight " + w.weight.shape() + " for " + x.shape());
    require(
        w.bias && w.bias.columns == w.weight.rows && w.bias.type == Type::f32 && w.bias.offset == 0,
        op, "bias " + w.bias.shape() + " for " + w.weight.shape());
    require(
        y.batch == x.batch && y.rows == area(out) && y.columns == w.weight.rows && y.type == x.type,
        op, x.shape() + " does not give " + y.shape());
    require_wide(x, op);
    require_wide(y, op);

    const Tensor& r = epilogue.residual ? epilogue.r : x;
    require(!epilogue.residual || (r.batch == y.batch && r.rows == y.rows &&
                                   r.columns == y.columns && r.type == y.type),
            op, r.shape() + " beside " + y.shape());
    require_wide(r, op);
    if (const std::optional<MatrixTile> tile = matrix_tile(c, y, x, w))
        return record_matrix(c, y, x, size, w, epilogue, *tile);
    require(can_be_read(w.weight), op,
            "the weight " + w.weight.shape() + " is kept in fragments alone");
    std::optional<ProductTile> tiled;
    if (!c.plain_kernels() && loads_wide(x) && loads_wide(w.weight))
        tiled =
            best_product_tile(c.device(), {y.batch, y.rows, y.columns, w.weight.columns}, x.type);
    if (tiled) return record_tiled(c, y, x, size, w, epilogue, *tiled);
    const Tile t = choose_tile(c.device(), y.rows);
    c.dispatch(Kernel("conv2d", x.type,
                      {t.threads_x, t.threads_y, t.m, t.n,
                       static_cast<uint32_t>(epilogue.activation), epilogue.residual}),
               {divide_up(padded(y.columns), t.n), divide_up(y.rows, t.m), y.batch},
               {read(x), read(w.weight), read(w.bias), read(r), write(y)},
               params_of(y, x, size, w, r));
}

Epilogue epilogue_of(const Finish& finish, const Tensor& y) {
    return {finish.activation, y,
            finish.accumulate ? params::residual_before : params::residual_none};
}

}  // namespace

void conv2d_tiled(Commands& c, const Tensor& y, const Tensor& x, Size size, const Conv2d& w,
                  const Finish& finish, const ProductTile& t) {
    record_tiled(c, y, x, size, w, epilogue_of(finish, y), t);
}

void conv2d_on_matrices(Commands& c, const Tensor& y, const Tensor& x, Size size, const Conv2d& w,
                        const Finish& finish, const MatrixTile& t) {
    record_matrix(c, y, x, size, w, epilogue_of(finish, y), t);
}

Size Conv2d::out_size(Size in_size) const {
    return {windows_along(in_size.x, dilation * (kernel.x - 1) + 1, stride, padding),
            windows_along(in_size.y, dilation * (kernel.y - 1) + 1, stride, padding)};
}

Tensor conv2d(Commands& c, const Tensor& x, Size size, const Conv2d& w, Activation activation) {
    Tensor y = c.scratch(x.batch, area(w.out_size(size)), w.weight.rows, x.type);
    record(c, y, x, size, w, {activation});
    return y;
}

void conv2d_into(Commands& c, const Tensor& y, const Tensor& x, Size size, const Conv2d& w,
                 Activation activation, const Tensor& beside) {
    record(c, y, x, size, w,
           {activation, beside, beside ? params::residual_after : params::residual_none});
}

void conv2d_add(Commands& c, const Tensor& y, const Tensor& x, Size size, const Conv2d& w,
                Activation activation) {
    record(c, y, x, size, w, {activation, y, params::residual_before});
}

}  // namespace saccade
