#include <algorithm>

#include "gpu/ops/common.h"
#include "gpu/ops/links.h"

namespace saccade {

namespace {

uint32_t column_threads(const Commands& c) { return c.device().is_cpu() ? 4 : 64; }

}  // namespace

Tensor add(Commands& c, const Tensor& a, const Tensor& b, Type out) {
    Tensor y = c.scratch(a.batch, a.rows, a.columns, out);
    add_into(c, y, a, b);
    return y;
}

void add_into(Commands& c, const Tensor& y, const Tensor& a, const Tensor& b) {
    constexpr const char* op = "add";
    require(a.columns == b.columns && a.rows == b.rows && (b.batch == a.batch || b.batch == 1) &&
                y.batch == a.batch && y.rows == a.rows && y.columns == a.columns &&
                a.type == b.type,
            op, a.shape() + " + " + b.shape() + " -> " + y.shape());
    for (const Tensor* t : {&y, &a, &b}) require_wide(*t, op);
    in_pieces(a.rows, [&](uint32_t first, uint32_t count) {
        params::AddParams p{view(a, first), view(b, first), view(y, first), count, a.columns};
        if (b.batch < a.batch) p.b.batch_stride = 0;  // every batch meets the same b
        c.dispatch(Kernel("add", a.type, y.type, {column_threads(c)}),
                   {padded(a.columns) / 4, count, a.batch},
                   {read(a), read(b), y.buffer == a.buffer ? read_write(y) : write(y)}, p);
    });
}

Tensor embedding(Commands& c, const Tensor& ids, const Tensor& table, const Tensor& positions) {
    constexpr const char* op = "embedding";
    require(ids.type == Type::u32 && ids.rows == 1 && table.batch == 1, op,
            ids.shape() + " into " + table.shape());
    require(positions.type == Type::f32 && positions.batch == 1 && positions.rows == ids.columns &&
                positions.columns == table.columns,
            op, "positions " + positions.shape() + " for " + ids.shape());
    require_wide(table, op);
    require_wide(positions, op);
    Tensor y = c.scratch(ids.batch, ids.columns, table.columns, Type::f32);
    if (link_embedding(c, y, ids, table, positions)) return y;
    for (const Part& part : parts_of(table, c.device().limits())) {
        const params::EmbeddingParams p{view(ids),      view(part.rows), view(positions),
                                        view(y),        ids.columns,     y.columns,
                                        part.first_row, part.rows.rows,  table.rows};
        c.dispatch(
            Kernel("embedding", table.type, Type::f32, {column_threads(c)}),
            {padded(y.columns) / 4, ids.columns, ids.batch},
            {read(ids), read_some(part.rows, ids.batch * ids.columns), read(positions), write(y)},
            p);
    }
    return y;
}

void gather(Commands& c, const Tensor& y, const Tensor& x, const Tensor& from) {
    constexpr const char* op = "gather";
    require(y.rows == x.rows && y.columns == x.columns && y.type == x.type && x.type != Type::u32,
            op, x.shape() + " into " + y.shape());
    require(from.type == Type::u32 && from.all_rows() == 1 && from.columns == y.batch, op,
            "from " + from.shape() + " for " + y.shape());
    require_wide(x, op);
    require_wide(y, op);
    const params::GatherParams p{view(x), view(y), from.offset, x.batch, y.columns};
    c.dispatch(Kernel("gather", x.type, {column_threads(c)}),
               {padded(y.columns) / 4, y.rows, y.batch}, {read(x), read(from), write(y)}, p);
}

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
        c.dispatch(Kernel("copy", to.type, {column_threads(c), static_cast<uint32_t>(stored)}),
                   {y.size[3] / 4, count, y.size[0] * y.size[1]}, {read(from), write(to)}, piece);
    });
}

}  // namespace saccade
