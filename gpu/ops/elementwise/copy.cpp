#include "gpu/ops/elementwise.h"

#include "gpu/ops/common.h"
#include "shaders/elementwise/params.h"

namespace saccade {

void copy(Commands& c, const Tensor& to, const Tensor& from) {
    constexpr const char* op = "copy";
    require((to.batch == from.batch || from.batch == 1) && to.rows == from.rows &&
                to.columns == from.columns && from.type != Type::u32 && to.type != Type::u32,
            op, from.shape() + " to " + to.shape());
    const Stored stored = from.type == Type::f16 ? Stored::f16 : Stored::f32;
    copy_strided(c, to,
                 {{1, to.batch, to.rows, padded(to.columns)},
                  {0, to.batch_stride, to.row_stride, 1},
                  to.offset},
                 from, stored,
                 {{1, to.batch, from.rows, from.columns},
                  {0, from.batch < to.batch ? 0 : from.batch_stride, from.row_stride, 1},
                  from.offset});
}

void copy_strided(Commands& c, const Tensor& to, const Layout& y, const Tensor& from, Stored stored,
                  const Layout& x, float scale) {
    constexpr const char* op = "copy";
    require(y.stride[3] == 1 && y.size[3] % 4 == 0 && y.offset % 4 == 0 && y.stride[0] % 4 == 0 &&
                y.stride[1] % 4 == 0 && y.stride[2] % 4 == 0,
            op, "the innermost elements of the result must lie side by side, in fours");
    params::CopyParams p{};
    p.y_offset = y.offset;
    p.x_offset = x.offset;
    p.scale = scale;
    for (int i = 0; i < 4; ++i) {
        p.y_size[i] = y.size[i];
        p.x_size[i] = x.size[i];
        p.x_stride[i] = x.stride[i];
        if (i < 3) p.y_stride[i] = y.stride[i];
    }
    in_pieces(y.size[2], [&](uint32_t first, uint32_t count) {
        params::CopyParams piece = p;
        piece.y_offset += first * y.stride[2];
        piece.x_offset += first * x.stride[2];
        piece.y_size[2] = count;
        piece.x_size[2] = x.size[2] > first ? x.size[2] - first : 0;
        c.dispatch(Kernel("copy", to.type, {pixel_threads(c), static_cast<uint32_t>(stored)}),
                   {y.size[3] / 4, count, y.size[0] * y.size[1]}, {read(from), write(to)}, piece);
    });
}

}  // namespace saccade
