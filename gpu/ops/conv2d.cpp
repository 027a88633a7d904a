#include "gpu/ops/common.h"
#include "gpu/ops/fragments.h"
#include "gpu/ops/tile.h"
#include "gpu/ops/tiled.h"

namespace saccade {

namespace {

std::string text(Size size) { return std::to_string(size.y) + "x" + std::to_string(size.x); }

// How many windows fit into a side.
uint32_t windows(uint32_t side, uint32_t kernel, uint32_t stride, uint32_t padding) {
    const uint32_t room = side + 2 * padding;
    return room < kernel ? 0 : (room - kernel) / stride + 1;
}

params::Conv2dParams params_of(const Tensor& y, const Tensor& x, Size size, const Conv2d& w,
                               bool accumulate) {
    const Size out = w.out_size(size);
    // What is added is read by the thread that writes there.
    const Tensor& r = accumulate ? y : x;
    return {view(x),    view(y),    view(r),         size.y, size.x,
            out.y, out.x,  w.kernel.y, w.kernel.x, w.stride,
            w.padding,  w.dilation, x.columns,       y.columns,      w.weight.row_stride};
}

void record(Commands& c, const Tensor& y, const Tensor& x, Size size, const Conv2d& w,
            Activation activation, bool accumulate) {
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

    const Tensor& r = accumulate ? y : x;
    const params::Conv2dParams p = params_of(y, x, size, w, accumulate);
    const Use uses[] = {read(x), read(w.weight), read(w.bias), read(r), write(y)};
    const auto push = std::as_bytes(std::span(&p, 1));
    const uint32_t choices[] = {static_cast<uint32_t>(activation), accumulate ? 1u : 0u};
    const Product product{y.batch, y.rows, y.columns, w.weight.columns};
    std::optional<MatrixTile> matrix;
    if (w.fragments && loads_eights(x) && !c.plain_kernels())
        matrix = choose_matrix_tile(c.device().info(), product);
    if (matrix) {
        const MatrixTile& t = *matrix;
        const struct {
            params::Conv2dParams convolution;
            params::ProductAddresses addresses;
        } q{p, product_addresses(c.device(), x, w.fragments)};
        auto scope = c.scope("product");  // gives the splits' memory back
        const auto [sums, arrived] = split_uses(c, t, w.fragments);
        c.dispatch(Kernel("conv2d.coopmat", x.type,
                          {t.threads, t.subgroups, t.bm, t.bn, t.bk, t.wm, t.wn, t.fragment.m,
                           t.fragment.n, t.fragment.k, held_fragments(c.device()).eights, t.ahead,
                           t.splits, choices[0], choices[1]}),
                   {divide_up(padded(y.columns), t.bn) * t.threads, divide_up(y.rows, t.bm),
                    y.batch * t.splits},
                   {uses[0], read(w.fragments), uses[2], uses[3], uses[4], sums, arrived}, q);
    } else if (const std::optional<ProductTile> tiled =
                   c.plain_kernels() || !loads_wide(x) || !loads_wide(w.weight)
                       ? std::nullopt
                       : choose_product_tile(c.device().info(), product)) {
        conv2d_tiled(c, y, x, size, w, activation, accumulate, *tiled);
    } else {
        const Tile t = choose_tile(c.device(), y.rows);
        c.dispatch(
            Kernel("conv2d", x.type, {t.threads_x, t.threads_y, t.m, t.n, choices[0], choices[1]}),
            {divide_up(padded(y.columns), t.n), divide_up(y.rows, t.m), y.batch}, uses, push);
    }
}

}  // namespace

void conv2d_tiled(Commands& c, const Tensor& y, const Tensor& x, Size size, const Conv2d& w,
                  Activation activation, bool accumulate, const ProductTile& t) {
    auto scope = c.scope("product");  // gives the splits' memory back
    const auto [sums, arrived] = split_uses(c, t, w.weight);
    c.dispatch(
        Kernel("conv2d.tiled", x.type,
               {t.threads, t.bm, t.bn, t.bk, t.tm, t.tn, t.splits,
                static_cast<uint32_t>(activation), accumulate ? 1u : 0u}),
        {divide_up(padded(y.columns), t.bn) * t.threads, divide_up(y.rows, t.bm),
         y.batch * t.splits},
        {read(x), read(w.weight), read(w.bias), read(accumulate ? y : x), write(y), sums, arrived},
        params_of(y, x, size, w, accumulate));
}

Size Conv2d::out_size(Size in_size) const {
    return {windows(in_size.x, dilation * (kernel.x - 1) + 1, stride, padding),
            windows(in_size.y, dilation * (kernel.y - 1) + 1, stride, padding)};
}

Size Pool::out_size(Size in_size) const {
    return {windows(in_size.x, kernel, stride, padding),
            windows(in_size.y, kernel, stride, padding)};
}

Tensor conv2d(Commands& c, const Tensor& x, Size size, const Conv2d& w, Activation activation) {
    Tensor y = c.scratch(x.batch, area(w.out_size(size)), w.weight.rows, x.type);
    record(c, y, x, size, w, activation, false);
    return y;
}

void conv2d_add(Commands& c, const Tensor& y, const Tensor& x, Size size, const Conv2d& w,
                Activation activation) {
    record(c, y, x, size, w, activation, true);
}

Tensor max_pool(Commands& c, const Tensor& x, Size size, const Pool& pool) {
    constexpr const char* op = "max_pool";
    const Size out = pool.out_size(size);
    require(x.rows == area(size) && area(out) > 0 && pool.padding < pool.kernel, op,
            x.shape() + " is not a picture of " + text(size) + " that can be pooled");
    require_wide(x, op);
    Tensor y = c.scratch(x.batch, area(out), x.columns, x.type);
    const params::MaxPoolParams p{view(x), view(y),     size.y,      size.x,       out.y,
                                  out.x,   pool.kernel, pool.stride, pool.padding, x.columns};
    c.dispatch(Kernel("max_pool", x.type, {row_threads(c)}),
               {out.x * (padded(x.columns) / 4), out.y, x.batch}, {read(x), write(y)}, p);
    return y;
}

}  // namespace saccade
