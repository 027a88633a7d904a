#include "gpu/chains/links.h"

#include <vector>

#include "gpu/chains/chain_program.h"

namespace saccade {

namespace {

// The longest row that chain.comp holds, the longest that it normalises, and the widest head.
constexpr uint32_t most_columns = 4096, most_normalized = 2048, widest_head = 64;
// Shared memory of chain.comp beside the rows of x.
constexpr uint64_t other_shared_bytes = 16 << 10;

bool few_rows(const Tensor& t) { return t.rows == 1 && t.batch <= params::chain_most_rows; }
// Rows are read 16 bytes at a time.
bool aligned(const Tensor& t) {
    return t.offset % (16 / bytes_of(t.type)) == 0 && t.row_stride % 8 == 0 &&
           (t.batch == 1 || t.batch_stride % 8 == 0);
}
// Elements from one row to the next, which are equally far apart.
uint32_t row_step(const Tensor& t) { return t.rows == 1 ? t.batch_stride : t.row_stride; }

bool fits(const Device& device, const Tensor& y, const Tensor& x, const ChainProduct& p) {
    const bool normalized = p.norm.has_value();
    const uint64_t held = uint64_t(x.batch) * padded(x.columns) * bytes_of(Type::f16);
    const bool has_rows = p.weight.bytes > 0;  // else only its fragments are kept
    return few_rows(x) && has_rows && p.weight.type == Type::f16 &&
           held + other_shared_bytes <= device.limits().shared_bytes &&
           x.columns <= (normalized ? most_normalized : most_columns) &&
           (!normalized || x.columns % 8 == 0) && x.type == (normalized ? Type::f32 : Type::f16) &&
           (!p.accumulate || y.type == Type::f32) && aligned(x) && aligned(p.weight) &&
           aligned(y) && (!p.bias || aligned(p.bias));
}

// Writes how columns of y are paired. False where the pairs do not fit the four columns of a unit.
bool put_pairs(params::ProductLink& link, const Device& device, const Tensor& y,
               const ChainProduct& p) {
    if (!p.gated && p.rotated_heads == 0) return true;
    if (p.gated) {
        link.pairing = params::pairing_gate;
        link.paired = link.n;
        link.pair_distance = link.n / 2;
    } else {
        link.pairing = params::pairing_rope;
        link.paired = p.rotated_heads * p.head;
        link.pair_distance = p.head / 2;
        put_address(link.angles, device, p.angles);
    }
    // A unit has two columns of each half, and rows that are written in words have no padding.
    return link.pair_distance % (p.gated ? 8 : 4) == 0 && y.type == Type::f16;
}

}  // namespace

bool link_product(Commands& c, const Tensor& y, const Tensor& x, const ChainProduct& p) {
    ChainProgram* program = ChainProgram::open_in(c);
    const Device& device = c.device();
    if (!program || !fits(device, y, x, p)) return false;
    params::ProductLink link{};
    LinkTraits traits{
        .rows = x.batch, .activation = static_cast<uint32_t>(p.activation), .columns = x.columns};
    link.n = p.weight.rows;
    link.k = x.columns;
    if (!put_pairs(link, device, y, p)) return false;
    if (link.pairing != params::pairing_none) traits.uses |= params::chain_pairs;
    put_address(link.x, device, x);
    put_address(link.y, device, y);
    put_address(link.w, device, p.weight);
    if (p.bias) put_address(link.b, device, p.bias);
    if (p.norm) {
        const bool layer = bool(p.norm->bias);
        link.norm = layer ? params::norm_layer : params::norm_rms;
        link.eps = p.norm->eps;
        put_address(link.gain, device, p.norm->weight);
        if (layer) put_address(link.shift, device, p.norm->bias);
        traits.uses |= layer ? params::chain_layer_norms : params::chain_rms_norms;
    }
    link.x_stride = row_step(x);
    link.y_stride = row_step(y);
    link.w_stride = p.weight.row_stride;
    link.has_bias = bool(p.bias);
    link.activated = p.activation != Activation::none;
    link.accumulates = p.accumulate;
    link.half_out = y.type == Type::f16;
    program->add(link, traits, {read(x), read(p.weight), p.accumulate ? read_write(y) : write(y)});
    return true;
}

bool link_attention(Commands& c, const Tensor& y, const ChainAttention& a) {
    ChainProgram* program = ChainProgram::open_in(c);
    const auto& [q, k, v, heads, scale, sharing] = a;
    const uint32_t head = q.columns / heads;
    const bool evenly = q.rows == 1 || q.batch == 1 || q.batch_stride == q.rows * q.row_stride;
    if (!program || q.all_rows() > params::chain_most_rows || !evenly || q.type != Type::f16 ||
        head > widest_head || head % 8 != 0 || !aligned(q) || !aligned(k) || !aligned(v) ||
        !aligned(y))
        return false;
    params::AttentionLink link{};
    put_address(link.q, c.device(), q);
    put_address(link.k, c.device(), k);
    put_address(link.v, c.device(), v);
    put_address(link.y, c.device(), y);
    link.q_stride = row_step(q);
    link.y_stride = row_step(y);
    link.k_stride = k.row_stride;
    link.v_stride = v.row_stride;
    link.k_batch_stride = k.batch_stride;
    link.v_batch_stride = v.batch_stride;
    link.keys = k.rows;
    link.queries = q.rows;
    link.heads = heads;
    link.sharing = sharing;
    link.scale = scale;
    std::vector<Tensor> older;  // all keys but the last, which the link before may write
    if (k.rows > 1) older = {k.slice_rows(0, k.rows - 1), v.slice_rows(0, k.rows - 1)};
    program->add(
        link,
        {.rows = q.all_rows(), .head = head, .uses = sharing > 1 ? params::chain_shared_heads : 0},
        {read(q), read(k), read(v), write(y)}, older);
    return true;
}

bool link_norm(Commands& c, const Tensor& y, const Tensor& x, const ChainNorm& norm) {
    ChainProgram* program = ChainProgram::open_in(c);
    if (!program || !few_rows(x) || x.type != Type::f32 || y.type != Type::f32 ||
        x.columns > most_normalized || x.columns % 8 != 0 || !aligned(x) || !aligned(y))
        return false;
    params::NormLink link{};
    put_address(link.x, c.device(), x);
    put_address(link.y, c.device(), y);
    put_address(link.gain, c.device(), norm.weight);
    put_address(link.shift, c.device(), norm.bias);
    link.x_stride = row_step(x);
    link.y_stride = row_step(y);
    link.columns = x.columns;
    link.eps = norm.eps;
    program->add(link, {.rows = x.batch, .uses = params::chain_layer_norms}, {read(x), write(y)});
    return true;
}

bool link_embedding(Commands& c, const Tensor& y, const Tensor& ids, const Tensor& table,
                    const Tensor& positions) {
    ChainProgram* program = ChainProgram::open_in(c);
    if (!program || !few_rows(y) || table.type != Type::f16 || !aligned(table) ||
        !aligned(positions) || !aligned(y))
        return false;
    params::EmbeddingLink link{};
    put_address(link.ids, c.device(), ids);
    put_address(link.table, c.device(), table);
    put_address(link.position, c.device(), positions);
    put_address(link.y, c.device(), y);
    link.id_stride = row_step(ids);
    link.table_stride = table.row_stride;
    link.y_stride = row_step(y);
    link.rows = table.rows;
    link.columns = table.columns;
    program->add(link, {.rows = y.batch},
                 {read(ids), read_some(table, y.batch), read(positions), write(y)});
    return true;
}

bool link_pick(Commands& c, const Tensor& best, const Tensor& about, const Tensor& x) {
    ChainProgram* program = ChainProgram::open_in(c);
    if (!program || !few_rows(x) || x.type != Type::f32 || !aligned(x)) return false;
    const uint32_t workgroups = c.device().limits().cores;
    const Tensor parts = c.scratch(x.batch, 1, params::pick_words * workgroups, Type::u32);
    params::PickPartLink part{};
    put_address(part.x, c.device(), x);
    put_address(part.parts, c.device(), parts);
    part.x_stride = row_step(x);
    part.part_stride = row_step(parts);
    part.columns = x.columns;
    program->add(part, {.rows = x.batch}, {read(x), write(parts)});
    params::PickMergeLink merge{};
    put_address(merge.parts, c.device(), parts);
    put_address(merge.best, c.device(), best);
    put_address(merge.about, c.device(), about);
    merge.part_stride = row_step(parts);
    merge.best_stride = row_step(best);
    merge.about_stride = about.row_stride;
    merge.about_batch_stride = about.batch_stride;
    program->add(merge, {.rows = x.batch}, {read(parts), write(best), write(about)});
    return true;
}

}  // namespace saccade
