#include "gpu/ops/products.h"

#include <algorithm>
#include <optional>
#include <span>

#include "gpu/chains/links.h"
#include "gpu/ops/common.h"
#include "gpu/ops/products/fragments.h"
#include "gpu/ops/products/kernels.h"
#include "gpu/ops/products/linear_shapes.h"
#include "gpu/ops/products/tuned_tile.h"
#include "shaders/products/params.h"

namespace saccade {

namespace {

// From this number of rows on, cooperative matrices pay although the weight's fragments are made
// for this one product.
constexpr uint32_t fewest_passing_rows = 96;

// The folded norms that a product takes part in. Both may be none.
struct FoldedNorms {
    const FoldedInput* of_x = nullptr;  // x is the stream, and its norm is folded into the weight
    const FoldedInput* of_y =
        nullptr;  // y is the stream, and the next norm's moments are written beside it
};

params::LinearConstants constants_of(const Linear& w, const Finish& finish) {
    return {.activation = static_cast<uint32_t>(finish.activation),
            .bias = w.bias ? 1u : 0u,
            .accumulate = finish.accumulate ? 1u : 0u};
}

void record_on_matrices(Commands& c, const Tensor& y, const Tensor& from, const Linear& w,
                        const Finish& finish, const MatrixTile& t, const FoldedNorms& norms = {}) {
    const Span span = rows_of(from, y);
    auto scope = c.scope("product");  // gives the splits' memory back
    const Tensor x = loadable(c, from);
    const FoldedInput *of_x = norms.of_x, *of_y = norms.of_y;
    const struct {
        params::LinearParams linear;
        params::ProductAddresses addresses;
        float eps;
    } p{{view(x), view(y), w.bias ? w.bias.offset : 0, span.rows, y.columns, x.columns,
         w.weight.row_stride},
        product_addresses(c.device(), x, w.fragments),
        of_x ? of_x->eps : 0.0f};
    const params::StreamConstants stream{.moments = of_x ? divide_up(x.columns, of_x->width) : 0,
                                         .width = of_x ? of_x->width : 0,
                                         .next = of_y ? 1u : 0u};
    const auto [sums, arrived] = split_uses(c, t, w.fragments);
    const Use unused = read(w.fragments);
    c.dispatch(Kernel("linear.coopmat", x.type, y.type,
                      params::constants_of(t.constants(held_fragments(c.device()), y),
                                           constants_of(w, finish), stream)),
               {divide_up(padded(y.columns), t.bn) * t.threads, divide_up(span.rows, t.bm),
                span.batch * t.splits},
               {read(x), read(w.fragments), read(w.bias ? w.bias : w.fragments),
                finish.accumulate ? read_write(y) : write(y), sums, arrived,
                of_x   ? read(of_x->moments)
                : of_y ? write(of_y->moments)
                       : unused,
                of_y ? write(of_y->halves) : unused},
               p);
}

// On cooperative matrices, where they are available and pay, or where no other kernel can read the
// weight.
bool record_matrix(Commands& c, const Tensor& y, const Tensor& from, const Linear& w,
                   const Span& span, const Finish& finish) {
    const bool alone = w.fragments && !can_be_read(w.weight);
    if (!w.fragments || from.type != Type::f16 ||
        (!alone && (!loads_eights(from) || c.plain_kernels())))
        return false;
    const uint32_t rows = alone ? std::max(span.rows, fewest_matrix_rows) : span.rows;
    const std::optional<MatrixTile> tile =
        best_matrix_tile(c.device(), {span.batch, rows, y.columns, from.columns});
    if (!tile) return false;
    record_on_matrices(c, y, from, w, finish, *tile);
    return true;
}

// A weight that is kept in rows and is multiplied with many: its fragments are made for this
// product.
bool record_passing_matrix(Commands& c, const Tensor& y, const Tensor& x, const Linear& w,
                           const Span& span, const Finish& finish) {
    constexpr uint32_t most_passing_bytes = 64 << 20;
    if (w.fragments || c.plain_kernels() || span.rows < fewest_passing_rows ||
        w.weight.offset != 0 || w.weight.bytes > most_passing_bytes || !loads_eights(x))
        return false;
    const FragmentsSize size = fragments_size(c.device(), w.weight);
    if (!size) return false;
    auto scope = c.scope("fragments");
    Linear passing = w;
    passing.fragments = c.scratch(1, size.rows, size.columns, Type::f16);
    fragments_into(c, passing.fragments, w.weight);
    return record_matrix(c, y, x, passing, span, finish);
}

// On tiles in shared memory, if the device and the tensors allow it.
bool record_tiled(Commands& c, const Tensor& y, const Tensor& x, const Linear& w, const Span& span,
                  const Finish& finish) {
    if (c.plain_kernels() || !loads_wide(x) || !loads_wide(w.weight) ||
        w.weight.bytes > c.device().limits().storage_range)
        return false;
    const std::optional<ProductTile> tile =
        best_product_tile(c.device(), {span.batch, span.rows, y.columns, x.columns}, x.type);
    if (tile) linear_tiled(c, y, x, w, finish, *tile);
    return tile.has_value();
}

// With the kernels without tiles, one dispatch for each part of the weight: `few` is the tile of
// linear.row, or none.
void record_parts(Commands& c, const Tensor& y, const Tensor& x, const Linear& w,
                  const Finish& finish, const std::optional<RowTile>& few) {
    const Span span = rows_of(x, y);
    const params::LinearConstants choices = constants_of(w, finish);
    for (const Part& part : parts_of(w.weight, c.device().limits())) {
        const Tensor out = y.slice_columns(part.first_row, part.rows.rows);
        const Tensor bias = w.bias ? w.bias.slice_columns(part.first_row, out.columns) : part.rows;
        const params::LinearParams p{view(x),     view(out), w.bias ? bias.offset : 0, span.rows,
                                     out.columns, x.columns, part.rows.row_stride};
        const Use uses[] = {read(x), read(part.rows), read(bias),
                            finish.accumulate ? read_write(out) : write(out)};
        const auto push = std::as_bytes(std::span(&p, 1));
        if (few) {
            const RowTile& t = *few;
            c.dispatch(Kernel("linear.row", x.type, y.type,
                              {t.threads, t.lanes, t.columns, t.rows, t.steps, choices.activation,
                               choices.bias, choices.accumulate}),
                       {divide_up(padded(p.n), t.group()) * t.threads, 1, span.batch}, uses, push);
        } else {
            const Tile t = choose_tile(c.device(), span.rows);
            c.dispatch(Kernel("linear", x.type, y.type,
                              {t.threads_x, t.threads_y, t.m, t.n, choices.activation, choices.bias,
                               choices.accumulate}),
                       {divide_up(padded(p.n), t.n), divide_up(p.m, t.m), span.batch}, uses, push);
        }
    }
}

// Takes the first of these kernels that the device and the tensors allow.
void record(Commands& c, const Tensor& to, const Tensor& from, const Linear& w,
            const Finish& finish) {
    constexpr const char* op = "linear";
    require_linear(op, to, from, w);
    const Tensor x = joined(from), y = joined(to);
    require(x.type == w.weight.type && (y.type == x.type || y.type == Type::f32), op,
            "types " + x.shape() + ", " + w.weight.shape() + ", " + y.shape());
    const bool readable = can_be_read(w.weight);
    if (link_product(c, to, from,
                     {.weight = w.weight,
                      .bias = w.bias,
                      .activation = finish.activation,
                      .accumulate = finish.accumulate}))
        return;

    const Span span = rows_of(x, y);
    if (record_matrix(c, y, x, w, span, finish)) return;
    require(readable, op, "the weight " + w.weight.shape() + " is kept in fragments alone");
    if (record_passing_matrix(c, y, x, w, span, finish)) return;
    std::optional<RowTile> few;
    if (loads_eights(x) && loads_eights(w.weight) && !loads_texels(c, x.type))
        few = choose_row_tile(c.device().info(), span.rows, y.columns, x.columns);
    if (few || !record_tiled(c, y, x, w, span, finish)) record_parts(c, y, x, w, finish, few);
}

}  // namespace

void linear_on_matrices(Commands& c, const Tensor& y, const Tensor& from, const Linear& w,
                        const Finish& finish, const MatrixTile& t) {
    record_on_matrices(c, y, from, w, finish, t);
}

bool can_write_folded(const Tensor& y, const MatrixTile& tile) {
    return y.type == Type::f32 && y.columns % 8 == 0 && y.columns % tile.wn == 0 &&
           tile.bn >= narrowest_part;
}

void linear_add_folded(Commands& c, const Tensor& y, const Tensor& x, const Linear& w,
                       const FoldedInput& to, const MatrixTile& tile) {
    constexpr const char* op = "linear_add_folded";
    require_linear(op, y, x, w);
    require(can_write_folded(y, tile) && held_fragments(c.device()).in_fours, op,
            "the input of a folded norm cannot be written for " + y.shape());
    record_on_matrices(c, y, x, w, {.accumulate = true}, tile, {.of_y = &to});
}

void linear_of_folded(Commands& c, const Tensor& y, const FoldedInput& from, const Linear& w,
                      Activation activation, const MatrixTile& tile) {
    require_linear("linear_of_folded", y, from.halves, w);
    record_on_matrices(c, y, from.halves, w, {activation}, tile, {.of_x = &from});
}

void linear_tiled(Commands& c, const Tensor& y, const Tensor& x, const Linear& w,
                  const Finish& finish, const ProductTile& t) {
    const Span span = rows_of(x, y);
    const params::LinearParams p{view(x),   view(y),   w.bias ? w.bias.offset : 0, span.rows,
                                 y.columns, x.columns, w.weight.row_stride};
    auto scope = c.scope("product");  // gives the splits' memory back
    const auto [sums, arrived] = split_uses(c, t, w.weight);
    c.dispatch(
        Kernel("linear.tiled", x.type, y.type,
               params::constants_of(t.constants(), constants_of(w, finish))),
        {divide_up(padded(p.n), t.bn) * t.threads, divide_up(p.m, t.bm), span.batch * t.splits},
        {read(x), read(w.weight), read(w.bias ? w.bias : w.weight),
         finish.accumulate ? read_write(y) : write(y), sums, arrived},
        p);
}

Tensor linear(Commands& c, const Tensor& x, const Linear& w, Activation activation) {
    Tensor y = c.scratch(x.batch, x.rows, w.weight.rows, x.type);
    linear_into(c, y, x, w, activation);
    return y;
}

void linear_into(Commands& c, const Tensor& y, const Tensor& x, const Linear& w,
                 Activation activation) {
    record(c, y, x, w, {activation});
}

void linear_add(Commands& c, const Tensor& y, const Tensor& x, const Linear& w) {
    record(c, y, x, w, {.accumulate = true});
}

}  // namespace saccade
