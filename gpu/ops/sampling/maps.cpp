#include "gpu/ops/common.h"
#include "gpu/sampling.h"

// What pyramids of feature maps need between convolutions.

namespace saccade {

namespace {

void require_map(const Tensor& x, Size size, const char* op) {
    require(x.rows == area(size) && area(size) > 0, op,
            x.shape() + " is not a picture of " + std::to_string(size.y) + "x" +
                std::to_string(size.x));
    require_wide(x, op);
}

}  // namespace

Size DepthwiseConv2d::out_size(Size in_size) const {
    return {(in_size.x + 2 * padding - kernel) / stride + 1,
            (in_size.y + 2 * padding - kernel) / stride + 1};
}

void depthwise_into(Commands& c, const Tensor& y, const Tensor& x, Size size,
                    const DepthwiseConv2d& w, Activation activation) {
    constexpr const char* op = "depthwise";
    require_map(x, size, op);
    require(size.x + 2 * w.padding >= w.kernel && size.y + 2 * w.padding >= w.kernel, op,
            x.shape() + " is smaller than the kernel");
    const Size out = w.out_size(size);
    require_map(y, out, op);
    require(y.batch == x.batch && y.columns == x.columns && y.type == x.type, op,
            x.shape() + " into " + y.shape());
    require(w.weight.rows == w.kernel * w.kernel && w.weight.columns == x.columns &&
                w.weight.type == Type::f32 && w.weight.offset == 0 && w.bias.columns == x.columns &&
                w.bias.type == Type::f32 && w.bias.offset == 0,
            op, "weights " + w.weight.shape() + ", " + w.bias.shape() + " for " + x.shape());
    const params::DepthwiseParams p{view(x), view(y),  size.y,    size.x,    out.y,
                                    out.x,   w.stride, w.padding, x.columns, w.weight.row_stride,
                                    w.gain,  w.shift};
    c.dispatch(Kernel(op, x.type, {pixel_threads(c), static_cast<uint32_t>(activation), w.kernel}),
               {out.x * (padded(x.columns) / 4), out.y, x.batch},
               {read(x), read(w.weight), read(w.bias), write(y)}, p);
}

Tensor avg_pool(Commands& c, const Tensor& x, Size size) {
    require_map(x, size, "avg_pool");
    const Size out = halved(size);
    Tensor y = c.scratch(x.batch, area(out), x.columns, x.type);
    const params::AvgPoolParams p{view(x), view(y), size.y, size.x, out.y, out.x, x.columns};
    c.dispatch(Kernel("avg_pool", x.type, {pixel_threads(c)}),
               {out.x * (padded(x.columns) / 4), out.y, x.batch}, {read(x), write(y)}, p);
    return y;
}

void upsample_into(Commands& c, const Tensor& y, const Tensor& x, Size size, uint32_t factor) {
    constexpr const char* op = "upsample";
    require_map(x, size, op);
    require_map(y, size * factor, op);
    require(y.batch == x.batch && y.columns == x.columns && y.type == x.type, op,
            x.shape() + " into " + y.shape());
    const Size out = size * factor;
    const params::UpsampleParams p{view(x), view(y), size.x, out.x, factor, x.columns};
    c.dispatch(Kernel(op, x.type, {pixel_threads(c)}),
               {out.x * (padded(x.columns) / 4), out.y, x.batch}, {read(x), write(y)}, p);
}

}  // namespace saccade
