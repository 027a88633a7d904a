#include "gpu/ops/products.h"

#include <algorithm>

#include "gpu/ops/common.h"
#include "gpu/ops/links.h"
#include "gpu/ops/products/fragments.h"
#include "gpu/ops/products/kernels.h"
#include "gpu/ops/products/linear_shapes.h"
#include "gpu/ops/products/tuned_tile.h"
#include "shaders/products/params.h"

namespace saccade {

namespace {

// From which on a product on cooperative matrices pays although the weight's fragments have to be
// made first: the way through memory is then shorter than the product without them.
constexpr uint32_t fewest_passing_rows = 96;

params::LinearConstants constants_of(const Linear& w, Activation activation, bool accumulate) {
    return {.activation = static_cast<uint32_t>(activation),
            .bias = w.bias ? 1u : 0u,
            .accumulate = accumulate ? 1u : 0u};
}

// On cooperative matrices, where that can be and pays, or where nothing else can read the weight.
bool record_matrix(Commands& c, const Tensor& y, const Tensor& from, const Linear& w,
                   const Span& span, Activation activation, bool accumulate) {
    const bool alone = w.fragments && !can_be_read(w.weight);
    if (!w.fragments || from.type != Type::f16 ||
        (!alone && (!loads_eights(from) || c.plain_kernels())))
        return false;
    const uint32_t rows = alone ? std::max(span.rows, fewest_matrix_rows) : span.rows;
    const std::optional<MatrixTile> tile =
        best_matrix_tile(c.device(), {span.batch, rows, y.columns, from.columns});
    if (!tile) return false;
    linear_on_matrices(c, y, from, w, activation, accumulate, *tile);
    return true;
}

// A weight that is kept for few rows, and meets many: its fragments, for as long as this takes.
bool record_passing_matrix(Commands& c, const Tensor& y, const Tensor& x, const Linear& w,
                           const Span& span, Activation activation, bool accumulate) {
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
    return record_matrix(c, y, x, passing, span, activation, accumulate);
}

// On tiles in shared memory, if that can be.
bool record_tiled(Commands& c, const Tensor& y, const Tensor& x, const Linear& w, const Span& span,
                  Activation activation, bool accumulate) {
    if (c.plain_kernels() || !loads_wide(x) || !loads_wide(w.weight) ||
        w.weight.bytes > c.device().limits().storage_range)
        return false;
    const std::optional<ProductTile> tile =
        best_product_tile(c.device(), {span.batch, span.rows, y.columns, x.columns}, x.type);
    if (tile) linear_tiled(c, y, x, w, activation, accumulate, *tile);
    return tile.has_value();
}

void record(Commands& c, const Tensor& to, const Tensor& from, const Linear& w,
            Activation activation, bool accumulate) {
    constexpr const char* op = "linear";
    require_linear(op, to, from, w);
    const Tensor x = joined(from), y = joined(to);
    require(x.type == w.weight.type && (y.type == x.type || y.type == Type::f32), op,
            "types " + x.shape() + ", " + w.weight.shape() + ", " + y.shape());
    const bool readable = can_be_read(w.weight);
    if (readable && link_product(c, to, from, nullptr, w, activation, accumulate)) return;

    const Span span = rows_of(x, y);
    if (record_matrix(c, y, x, w, span, activation, accumulate)) return;
    require(readable, op, "the weight " + w.weight.shape() + " is kept in fragments alone");
    if (record_passing_matrix(c, y, x, w, span, activation, accumulate)) return;
    std::optional<RowTile> few;
    if (loads_eights(x) && loads_eights(w.weight) && !loads_texels(c, x.type))
        few = choose_row_tile(c.device().info(), span.rows, y.columns, x.columns);
    if (!few && record_tiled(c, y, x, w, span, activation, accumulate)) return;
    const uint32_t choices[] = {static_cast<uint32_t>(activation), w.bias ? 1u : 0u,
                                accumulate ? 1u : 0u};
    for (const Part& part : parts_of(w.weight, c.device().limits())) {
        const Tensor out = y.slice_columns(part.first_row, part.rows.rows);
        const Tensor bias = w.bias ? w.bias.slice_columns(part.first_row, out.columns) : part.rows;
        const params::LinearParams p{view(x),     view(out), w.bias ? bias.offset : 0, span.rows,
                                     out.columns, x.columns, part.rows.row_stride};
        const Use uses[] = {read(x), read(part.rows), read(bias),
                            accumulate ? read_write(out) : write(out)};
        const auto push = std::as_bytes(std::span(&p, 1));
        if (few) {
            const RowTile& t = *few;
            c.dispatch(Kernel("linear.row", x.type, y.type,
                              {t.threads, t.lanes, t.columns, t.rows, t.steps, choices[0],
                               choices[1], choices[2]}),
                       {divide_up(padded(p.n), t.group()) * t.threads, 1, span.batch}, uses, push);
        } else {
            const Tile t = choose_tile(c.device(), span.rows);
            c.dispatch(
                Kernel("linear", x.type, y.type,
                       {t.threads_x, t.threads_y, t.m, t.n, choices[0], choices[1], choices[2]}),
                {divide_up(padded(p.n), t.n), divide_up(p.m, t.m), span.batch}, uses, push);
        }
    }
}

// `known` is what has been noted of x, if that is a stream; `note` what is to be noted of y.
void record_product(Commands& c, const Tensor& y, const Tensor& from, const Linear& w,
                    Activation activation, bool accumulate, const MatrixTile& t,
                    const Noted* known, const Noted* note) {
    const Span span = rows_of(from, y);
    auto scope = c.scope("product");  // gives the splits' memory back
    const Tensor x = loadable(c, from);
    const struct {
        params::LinearParams linear;
        params::ProductAddresses addresses;
        float eps;
    } p{{view(x), view(y), w.bias ? w.bias.offset : 0, span.rows, y.columns, x.columns,
         w.weight.row_stride},
        product_addresses(c.device(), x, w.fragments),
        known ? known->eps : 0.0f};
    const params::StreamConstants stream{
        .moments = known ? divide_up(x.columns, known->width) : 0,
        .width = known ? known->width : 0,
        .next = note ? 1u : 0u};
    const auto [sums, arrived] = split_uses(c, t, w.fragments);
    const Use unused = read(w.fragments);
    c.dispatch(Kernel("linear.coopmat", x.type, y.type,
                      params::constants_of(t.constants(held_fragments(c.device()), y),
                                           constants_of(w, activation, accumulate), stream)),
               {divide_up(padded(y.columns), t.bn) * t.threads, divide_up(span.rows, t.bm),
                span.batch * t.splits},
               {read(x), read(w.fragments), read(w.bias ? w.bias : w.fragments),
                accumulate ? read_write(y) : write(y), sums, arrived,
                known  ? read(known->moments)
                : note ? write(note->moments)
                       : unused,
                note ? write(note->halves) : unused},
               p);
}

}  // namespace

void linear_on_matrices(Commands& c, const Tensor& y, const Tensor& from, const Linear& w,
                        Activation activation, bool accumulate, const MatrixTile& t) {
    record_product(c, y, from, w, activation, accumulate, t, nullptr, nullptr);
}

bool can_note(const Tensor& y, const MatrixTile& tile) {
    return y.type == Type::f32 && y.columns % 8 == 0 && y.columns % tile.wn == 0 &&
           tile.bn >= narrowest_part;
}

void linear_add_noting(Commands& c, const Tensor& y, const Tensor& x, const Linear& w,
                       const Noted& to, const MatrixTile& tile) {
    constexpr const char* op = "linear_add_noting";
    require_linear(op, y, x, w);
    require(can_note(y, tile) && held_fragments(c.device()).in_fours, op,
            y.shape() + " cannot be noted");
    record_product(c, y, x, w, Activation::none, true, tile, nullptr, &to);
}

void linear_of_noted(Commands& c, const Tensor& y, const Noted& from, const Linear& w,
                     Activation activation, const MatrixTile& tile) {
    require_linear("linear_of_noted", y, from.halves, w);
    record_product(c, y, from.halves, w, activation, false, tile, &from, nullptr);
}

void linear_tiled(Commands& c, const Tensor& y, const Tensor& x, const Linear& w,
                  Activation activation, bool accumulate, const ProductTile& t) {
    const Span span = rows_of(x, y);
    const params::LinearParams p{view(x),   view(y),   w.bias ? w.bias.offset : 0, span.rows,
                                 y.columns, x.columns, w.weight.row_stride};
    auto scope = c.scope("product");  // gives the splits' memory back
    const auto [sums, arrived] = split_uses(c, t, w.weight);
    c.dispatch(
        Kernel("linear.tiled", x.type, y.type,
               params::constants_of(t.constants(), constants_of(w, activation, accumulate))),
        {divide_up(padded(p.n), t.bn) * t.threads, divide_up(p.m, t.bm), span.batch * t.splits},
        {read(x), read(w.weight), read(w.bias ? w.bias : w.weight),
         accumulate ? read_write(y) : write(y), sums, arrived},
        p);
}

Tensor linear(Commands& c, const Tensor& x, const Linear& w, Activation activation) {
    Tensor y = c.scratch(x.batch, x.rows, w.weight.rows, x.type);
    linear_into(c, y, x, w, activation);
    return y;
}

void linear_into(Commands& c, const Tensor& y, const Tensor& x, const Linear& w,
                 Activation activation) {
    record(c, y, x, w, activation, false);
}

void linear_add(Commands& c, const Tensor& y, const Tensor& x, const Linear& w) {
    record(c, y, x, w, Activation::none, true);
}

}  // namespace saccade
