#include "gpu/ops/links.h"

#include "gpu/ops/common.h"

namespace saccade {

namespace {

// What chain.comp holds of a row, of one that is normalised, and of a head.
constexpr uint32_t most_linked = 4096, most_normalized = 2048, largest_linked_head = 64;
// Shared memory that it needs beside the rows.
constexpr uint64_t other_shared_bytes = 16 << 10;

bool few_rows(const Tensor& t) { return t.rows == 1 && t.batch <= params::chain_most_rows; }
// Rows are read sixteen bytes at a time.
bool aligned(const Tensor& t) {
    return t.offset % (16 / bytes_of(t.type)) == 0 && t.row_stride % 8 == 0 &&
           (t.batch == 1 || t.batch_stride % 8 == 0);
}
// Elements from one row to the next, which are equally far apart.
uint32_t row_step(const Tensor& t) { return t.rows == 1 ? t.batch_stride : t.row_stride; }

params::LinkParams link_of(uint32_t kind, const Commands& c, const Tensor& y, const Tensor& x) {
    params::LinkParams link{};
    link.kind = kind;
    put_address(link.x, c.device(), x);
    put_address(link.y, c.device(), y);
    link.x_row = row_step(x);
    link.y_row = row_step(y);
    return link;
}

void put_norm(params::LinkParams& link, const Commands& c, const Norm& norm) {
    put_address(link.gain, c.device(), norm.weight);
    put_address(link.shift, c.device(), norm.bias);
    link.number = norm.eps;
    link.norm = params::link_layer_norm;
}

void put_norm(params::LinkParams& link, const Commands& c, const RmsNorm& norm) {
    put_address(link.gain, c.device(), norm.weight);
    link.number = norm.eps;
    link.norm = params::link_rms_norm;
}

bool can_multiply(const Commands& c, const Tensor& y, const Tensor& x, bool normalized,
                  const Linear& w) {
    const uint64_t held = uint64_t(x.batch) * padded(x.columns) * bytes_of(Type::f16);
    return c.chaining() && few_rows(x) && can_be_read(w.weight) && w.weight.type == Type::f16 &&
           held + other_shared_bytes <= c.device().limits().shared_bytes &&
           x.columns <= (normalized ? most_normalized : most_linked) &&
           (!normalized || x.columns % 8 == 0) && x.type == (normalized ? Type::f32 : Type::f16) &&
           aligned(x) && aligned(w.weight) && aligned(y) && (!w.bias || aligned(w.bias));
}

params::LinkParams product_of(const Commands& c, const Tensor& y, const Tensor& x,
                              const Linear& w) {
    params::LinkParams link = link_of(params::link_product, c, y, x);
    put_address(link.w, c.device(), w.weight);
    if (w.bias) put_address(link.b, c.device(), w.bias);
    link.n = w.weight.rows;
    link.k = x.columns;
    link.w_stride = w.weight.row_stride;
    link.bias = bool(w.bias);
    link.half_out = y.type == Type::f16;
    return link;
}

Commands::ChainTraits traits_of_product(const Tensor& x, Activation activation) {
    return {.rows = x.batch,
            .activation = static_cast<uint32_t>(activation),
            .columns = x.columns};
}

}  // namespace

bool link_product(Commands& c, const Tensor& y, const Tensor& x, const Norm* norm, const Linear& w,
                  Activation activation, bool accumulate) {
    if (!can_multiply(c, y, x, norm != nullptr, w) || (accumulate && y.type != Type::f32))
        return false;
    params::LinkParams link = product_of(c, y, x, w);
    if (norm) put_norm(link, c, *norm);
    link.activated = activation != Activation::none;
    link.accumulate = accumulate;
    c.link(link, traits_of_product(x, activation),
           {read(x), read(w.weight), accumulate ? read_write(y) : write(y)}, {});
    return true;
}

bool link_product(Commands& c, const Tensor& y, const Tensor& x, const RmsNorm& norm,
                  const Linear& w, const LinkedPairs& pairs) {
    if (!can_multiply(c, y, x, true, w)) return false;
    params::LinkParams link = product_of(c, y, x, w);
    put_norm(link, c, norm);
    const bool gated = pairs.gate != Activation::none;
    if (gated) {
        link.pairing = params::link_gated;
        link.paired = link.n;
        link.apart = link.n / 2;
        link.activated = 1;
    } else if (pairs.rotation) {
        const Rotation& r = *pairs.rotation;
        put_address(link.turns, c.device(), r.table);
        link.pairing = params::link_turned;
        link.paired = r.heads * r.head;
        link.apart = r.head / 2;
    }
    // A team has two columns of each half, and rows have no padding then.
    if (link.pairing != 0 && (link.apart % (gated ? 8 : 4) != 0 || y.type != Type::f16))
        return false;
    c.link(link, traits_of_product(x, pairs.gate), {read(x), read(w.weight), write(y)}, {});
    return true;
}

bool link_attention(Commands& c, const Tensor& y, const Tensor& q, const Tensor& k, const Tensor& v,
                    const Heads& heads) {
    const uint32_t head = q.columns / heads.count;
    const bool evenly = q.rows == 1 || q.batch == 1 || q.batch_stride == q.rows * q.row_stride;
    if (!c.chaining() || q.all_rows() > params::chain_most_rows || !evenly ||
        q.type != Type::f16 || head > largest_linked_head || head % 8 != 0 || !aligned(q) ||
        !aligned(k) || !aligned(v) || !aligned(y))
        return false;
    params::LinkParams link = link_of(params::link_attention, c, y, q);
    put_address(link.w, c.device(), k);
    put_address(link.b, c.device(), v);
    link.n = k.rows;
    link.k = head;
    link.w_stride = k.row_stride;
    link.b_stride = v.row_stride;
    link.w_row = k.batch_stride;
    link.b_row = v.batch_stride;
    link.together = q.rows;
    link.heads = heads.count;
    link.sharing = heads.sharing;
    link.number = heads.scale;
    std::vector<Tensor> older;  // all but the last, which may have been written just now
    if (k.rows > 1) older = {k.slice_rows(0, k.rows - 1), v.slice_rows(0, k.rows - 1)};
    c.link(link, {.rows = q.all_rows(), .head = head}, {read(q), read(k), read(v), write(y)}, older);
    return true;
}

bool link_norm(Commands& c, const Tensor& y, const Tensor& x, const Norm& norm) {
    if (!c.chaining() || !few_rows(x) || x.type != Type::f32 || y.type != Type::f32 ||
        x.columns > most_normalized || x.columns % 8 != 0 || !aligned(x) || !aligned(y))
        return false;
    params::LinkParams link = link_of(params::link_norm, c, y, x);
    put_norm(link, c, norm);
    link.k = x.columns;
    c.link(link, {.rows = x.batch}, {read(x), write(y)}, {});
    return true;
}

bool link_embedding(Commands& c, const Tensor& y, const Tensor& ids, const Tensor& table,
                    const Tensor& positions) {
    if (!c.chaining() || !few_rows(y) || table.type != Type::f16 || !aligned(table) ||
        !aligned(positions) || !aligned(y))
        return false;
    params::LinkParams link = link_of(params::link_embedding, c, y, ids);
    put_address(link.w, c.device(), table);
    put_address(link.b, c.device(), positions);
    link.n = table.rows;
    link.k = table.columns;
    link.w_stride = table.row_stride;
    c.link(link, {.rows = y.batch}, {read(ids), read_some(table, y.batch), read(positions), write(y)}, {});
    return true;
}

bool link_pick(Commands& c, const Tensor& best, const Tensor& about, const Tensor& x) {
    if (!c.chaining() || !few_rows(x) || x.type != Type::f32 || !aligned(x)) return false;
    const uint32_t workgroups = c.device().limits().cores;
    const Tensor parts = c.scratch(x.batch, 1, params::pick_words * workgroups, Type::u32);
    params::LinkParams part = link_of(params::link_pick_part, c, parts, x);
    part.n = x.columns;
    c.link(part, {.rows = x.batch}, {read(x), write(parts)}, {});
    params::LinkParams merge = link_of(params::link_pick_merge, c, best, parts);
    put_address(merge.b, c.device(), about);
    merge.b_stride = about.row_stride;
    merge.b_row = about.batch_stride;
    c.link(merge, {.rows = x.batch}, {read(parts), write(best), write(about)}, {});
    return true;
}

}  // namespace saccade
