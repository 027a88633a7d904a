#include "gpu/ops/products.h"

#include "gpu/ops/common.h"
#include "shaders/products/params.h"

namespace saccade {

Size DepthwiseConv2d::out_size(Size in_size) const {
    return {(in_size.x + 2 * padding - kernel) / stride + 1,
            (in_size.y + 2 * padding - kernel) / stride + 1};
}

void depthwise_into(Commands& c, const Tensor& y, const Tensor& x, Size size,
                    const DepthwiseConv2d& w, Activation activation) {
    constexpr const char* op = "depthwise";
    require_picture(x, size, op);
    require(size.x + 2 * w.padding >= w.kernel && size.y + 2 * w.padding >= w.kernel, op,
            x.shape() + " is smaller than the kernel");
    const Size out = w.out_size(size);
    require_picture(y, out, op);
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

}  // namespace saccade
