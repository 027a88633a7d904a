#include <algorithm>
#include <optional>

#include "gpu/ops/common.h"
#include "gpu/ops/products/fragments.h"
#include "gpu/ops/links.h"
#include "gpu/ops/products/tile_table.h"
#include "gpu/recorder/matrix_chain.h"

// Links of chains of many rows: chain.coopmat.comp.

namespace saccade {

namespace {

constexpr uint32_t most_linked_rows = 512;  // of more, a product fills the device by itself
constexpr uint32_t link_tile = 32;          // of a product: rows and columns
constexpr uint32_t most_tile_rounds = 5;    // of tiles that a workgroup makes, one after the other
constexpr uint32_t longest_norm = 1024;
constexpr uint32_t place_fours = 4;         // of a layer of boxes, that a thread has

// Eight halves, or four floats, are read at once.
bool rows_aligned(const Tensor& t) {
    return t.offset % (16 / bytes_of(t.type)) == 0 && t.row_stride % 8 == 0;
}
bool fits_link(const Tensor& t) {
    return t.batch == 1 && t.rows >= fewest_matrix_rows && t.rows <= most_linked_rows &&
           rows_aligned(t);
}

// None where the device has no such chains, or there is none now.
std::optional<Commands::ChainMatrices> matrices_of(Commands& c) {
    if (!c.chaining() || !has_row_chains(c.device())) return std::nullopt;
    const MatrixShape fragment = *choose_fragment(c.device().features());
    const HeldFragments& held = held_fragments(c.device());
    return Commands::ChainMatrices{fragment.m,  fragment.n, fragment.k,
                                   held.eights, held.alike, held.in_fours};
}

Commands::ChainTraits row_traits(const Commands::ChainMatrices& matrices) {
    return {.rows = 0, .matrices = matrices};
}

params::LinkParams row_link(uint32_t kind, const Commands& c, const Tensor& y) {
    params::LinkParams link{};
    link.kind = kind;
    link.rows = y.rows;
    put_address(link.y, c.device(), y);
    link.y_row = y.row_stride;
    link.half_out = y.type == Type::f16;
    return link;
}

}  // namespace

bool has_row_chains(Device& device) {
    const Limits& limits = device.limits();
    const std::optional<MatrixShape> fragment = choose_fragment(device.features());
    // They have been tried on NVIDIA's GPUs alone.
    if (device.info().vendor_id != vendors::nvidia || !device.features().chains ||
        !device.features().cooperative_matrix || !fragment || fragment->m != fragment->n ||
        fragment->m != fragment->k || held_fragments(device).eights == 0)
        return false;
    const MatrixChain form(limits, fragment->m, 0, 0, 0);
    return form.shared_bytes <= limits.shared_bytes &&
           form.subgroups * limits.subgroup_size <= limits.workgroup_threads;
}

namespace {

// `sum` and `plus` may be none.
bool link_any_product(Commands& c, const Tensor& y, const Tensor& x, const Linear& w,
                      Activation activation, bool accumulate, const Tensor& sum,
                      const Tensor& plus) {
    const auto matrices = matrices_of(c);
    if (!matrices || !w.fragments || x.type != Type::f16 || !fits_link(x) || !fits_link(y) ||
        (w.bias && !rows_aligned(w.bias)) || (accumulate && y.type != Type::f32))
        return false;
    const uint32_t tiles = divide_up(y.rows, link_tile) * divide_up(padded(y.columns), link_tile);
    if (tiles > most_tile_rounds * c.device().limits().cores) return false;
    params::LinkParams link = row_link(params::link_product, c, y);
    put_address(link.x, c.device(), x);
    link.x_row = x.row_stride;
    put_address(link.w, c.device(), w.fragments);
    if (w.bias) put_address(link.b, c.device(), w.bias);
    link.bias = bool(w.bias);
    link.n = y.columns;
    link.k = x.columns;
    link.activated = static_cast<uint32_t>(activation);
    link.accumulate = accumulate;
    if (sum) {
        put_address(link.also, c.device(), sum);
        put_address(link.gain, c.device(), plus);
        link.also_row = sum.row_stride;
        link.w_row = plus.row_stride;
    }
    Commands::ChainTraits traits = row_traits(*matrices);
    traits.tasks = tiles;
    c.link(link, traits,
           {read(x), read(w.fragments), accumulate ? read_write(y) : write(y),
            sum ? read(plus) : read(x), sum ? write(sum) : read(x)},
           {});
    return true;
}

}  // namespace

bool link_rows_product(Commands& c, const Tensor& y, const Tensor& x, const Linear& w,
                       Activation activation, bool accumulate) {
    return link_any_product(c, y, x, w, activation, accumulate, {}, {});
}

bool link_rows_product_beside(Commands& c, const Tensor& y, const Tensor& sum, const Tensor& x,
                              const Linear& w, const Tensor& plus) {
    if (!fits_link(sum) || sum.type != Type::f16 || !fits_link(plus) || plus.type != Type::f32)
        return false;
    return link_any_product(c, y, x, w, Activation::none, false, sum, plus);
}

bool link_rows_attention(Commands& c, const Tensor& y, const Tensor& q, const Tensor& k,
                         const Tensor& v, const Heads& heads) {
    const auto matrices = matrices_of(c);
    const uint32_t head = q.columns / heads.count;
    const Limits& limits = c.device().limits();
    const uint32_t query_blocks = matrices ? divide_up(q.rows, matrices->m) * heads.count : 0;
    if (!matrices || q.type != Type::f16 || !fits_link(q) || !fits_link(y) || k.batch != 1 ||
        !rows_aligned(k) || !rows_aligned(v) || head % matrices->m != 0 ||
        limits.subgroup_size % matrices->m != 0 ||
        MatrixChain(limits, matrices->m, head, k.rows, query_blocks).shared_bytes >
            limits.shared_bytes)
        return false;
    params::LinkParams link = row_link(params::link_attention, c, y);
    put_address(link.x, c.device(), q);
    put_address(link.w, c.device(), k);
    put_address(link.b, c.device(), v);
    link.x_row = q.row_stride;
    link.w_stride = k.row_stride;
    link.b_stride = v.row_stride;
    link.n = k.rows;
    link.k = head;
    link.heads = heads.count;
    link.sharing = heads.sharing;
    link.number = heads.scale;
    Commands::ChainTraits traits = row_traits(*matrices);
    traits.head = head;
    traits.keys = k.rows;
    traits.query_blocks = query_blocks;
    c.link(link, traits, {read(q), read(k), read(v), write(y)}, {});
    return true;
}

bool link_post_norm(Commands& c, const Tensor& x, const Norm& norm, const Tensor& y, const Tensor& at,
                    const Tensor& positions) {
    const auto matrices = matrices_of(c);
    if (!matrices || !fits_link(x) || x.columns % 8 != 0 || x.columns > longest_norm ||
        (y && !rows_aligned(y)) || (at && (!rows_aligned(at) || !rows_aligned(positions))))
        return false;
    params::LinkParams link = row_link(params::link_norm, c, x);
    put_address(link.x, c.device(), x);
    link.x_row = x.row_stride;
    link.y[0] = link.y[1] = 0;
    if (y) put_address(link.y, c.device(), y);
    link.y_row = y.row_stride;
    if (at) {
        put_address(link.also, c.device(), at);
        put_address(link.w, c.device(), positions);
        link.also_row = at.row_stride;
        link.w_row = positions.row_stride;
    }
    link.half_out = (y ? y.type : at.type) == Type::f16;
    put_address(link.gain, c.device(), norm.weight);
    put_address(link.shift, c.device(), norm.bias);
    link.number = norm.eps;
    link.k = x.columns;
    Commands::ChainTraits traits = row_traits(*matrices);
    traits.columns = x.columns;
    c.link(link, traits,
           {read_write(x), y ? write(y) : read(x), at ? write(at) : read(x),
            at ? read(positions) : read(x)},
           {});
    return true;
}

bool link_sum(Commands& c, const Tensor& y, const Tensor& a, const Tensor& b) {
    const auto matrices = matrices_of(c);
    if (!matrices || !fits_link(y) || !fits_link(a) || a.type != Type::f32 ||
        (b && (!fits_link(b) || b.type != Type::f32)))
        return false;
    params::LinkParams link = row_link(params::link_sum, c, y);
    put_address(link.x, c.device(), a);
    link.x_row = a.row_stride;
    if (b) {
        put_address(link.w, c.device(), b);
        link.w_row = b.row_stride;
    }
    link.n = y.columns;
    c.link(link, row_traits(*matrices), {read(a), b ? read(b) : read(a), write(y)}, {});
    return true;
}

bool link_deformable(Commands& c, const Tensor& y, const Tensor& values,
                     const SamplingQueries& queries, const params::DeformableParams& p) {
    const auto matrices = matrices_of(c);
    const auto in_fours = [](const Tensor& t) { return t.offset % 4 == 0 && t.row_stride % 4 == 0; };
    if (!matrices || !fits_link(y) || y.type != Type::f16 || y.columns % 8 != 0 || values.batch != 1 ||
        !in_fours(values) || !in_fours(queries.offsets) || !rows_aligned(queries.boxes) ||
        p.points > params::link_most_points)
        return false;
    params::LinkParams link = row_link(params::link_deformable, c, y);
    put_address(link.x, c.device(), values);
    put_address(link.w, c.device(), queries.offsets);
    put_address(link.b, c.device(), queries.weights);
    put_address(link.also, c.device(), queries.boxes);
    link.x_row = values.row_stride;
    link.w_row = queries.offsets.row_stride;
    link.b_row = queries.weights.row_stride;
    link.also_row = queries.boxes.row_stride;
    link.n = y.columns;
    link.k = p.head;
    link.points = p.points;
    std::ranges::copy(p.level_sizes, link.level_sizes);
    std::ranges::copy(p.level_points, link.level_points);
    link.number = p.scale;
    Commands::ChainTraits traits = row_traits(*matrices);
    traits.points = p.points;
    c.link(link, traits,
           {read(values), read(queries.offsets), read(queries.weights), read(queries.boxes), write(y)},
           {});
    return true;
}

bool link_refine_boxes(Commands& c, const Boxes& to, const Tensor& deltas, const Tensor& reference) {
    const auto matrices = matrices_of(c);
    if (!matrices || !fits_link(to.boxes) || !fits_link(to.copy) || !fits_link(deltas) || !fits_link(reference))
        return false;
    params::LinkParams link = row_link(params::link_refine_boxes, c, to.boxes);
    put_address(link.x, c.device(), deltas);
    put_address(link.b, c.device(), reference);
    put_address(link.also, c.device(), to.copy);
    link.x_row = deltas.row_stride;
    link.b_row = reference.row_stride;
    link.also_row = to.copy.row_stride;
    link.half_out = to.copy.type == Type::f16;
    c.link(link, row_traits(*matrices),
           {read(deltas), read(reference), write(to.boxes), write(to.copy)}, {});
    return true;
}

bool link_move_boxes(Commands& c, const Boxes& boxes, const Tensor& placed, const Tensor& x,
                     const Linear& deltas, const Linear& place, Activation activation) {
    const auto matrices = matrices_of(c);
    const uint32_t lanes = c.device().limits().subgroup_size;
    if (!matrices || !can_be_read(deltas.weight) || !can_be_read(place.weight) || !deltas.bias ||
        !place.bias || !fits_link(x) || x.type != Type::f16 || !fits_link(boxes.boxes) ||
        !fits_link(boxes.copy) || boxes.copy.type != Type::f16 || !fits_link(placed) ||
        placed.type != Type::f16 || x.columns % 8 != 0 || x.columns > 8 * lanes ||
        placed.columns % 4 != 0 || placed.columns > 4 * place_fours * lanes ||
        !rows_aligned(deltas.weight) || !rows_aligned(deltas.bias) || !rows_aligned(place.weight) ||
        !rows_aligned(place.bias))
        return false;
    params::LinkParams link = row_link(params::link_move_boxes, c, boxes.boxes);
    put_address(link.x, c.device(), x);
    put_address(link.w, c.device(), deltas.weight);
    put_address(link.b, c.device(), deltas.bias);
    put_address(link.also, c.device(), boxes.copy);
    put_address(link.gain, c.device(), placed);
    put_address(link.shift, c.device(), place.weight);
    put_address(link.turns, c.device(), place.bias);
    link.x_row = x.row_stride;
    link.w_stride = deltas.weight.row_stride;
    link.b_stride = place.weight.row_stride;
    link.b_row = placed.row_stride;
    link.also_row = boxes.copy.row_stride;
    link.k = x.columns;
    link.n = placed.columns;
    link.activated = static_cast<uint32_t>(activation);
    c.link(link, row_traits(*matrices),
           {read(x), read(deltas.weight), read(place.weight), read_write(boxes.boxes),
            write(boxes.copy), write(placed)},
           {});
    return true;
}

}  // namespace saccade
