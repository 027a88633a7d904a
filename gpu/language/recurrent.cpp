#include "gpu/language.h"
#include "gpu/ops/common.h"

// Operations of decoders that carry a state from word to word.

namespace saccade {

namespace {

void require_additive(const char* op, const Tensor& q, const Tensor& k, const Additive& how) {
    require(q.type == Type::f32 && k.columns == q.columns && k.batch == q.batch && k.rows > 0 &&
                k.type != Type::u32,
            op, "q " + q.shape() + " and k " + k.shape());
    require(how.weight.type == Type::f32 && how.weight.offset == 0 && how.weight.all_rows() == 1 &&
                how.weight.columns == k.columns,
            op, "weights " + how.weight.shape() + " for " + k.shape());
    require_wide(q, op);
    require_wide(k, op);
}

}  // namespace

void additive_attention_into(Commands& c, const Tensor& y, const Tensor& q, const Tensor& k,
                             const Tensor& v, const Tensor& gate, const Additive& how) {
    constexpr const char* op = "additive_attention";
    require_additive(op, q, k, how);
    require(v.rows == k.rows && v.batch == k.batch && v.type == k.type && y.type == k.type &&
                y.batch == q.batch && y.rows == q.rows && y.columns == v.columns,
            op, "k " + k.shape() + " and v " + v.shape() + " into " + y.shape());
    require(
        gate.type == Type::f32 && gate.batch == q.batch && gate.rows == q.rows && gate.columns == 1,
        op, "a gate of " + gate.shape() + " for " + q.shape());
    require_wide(v, op);
    require_wide(y, op);
    const uint32_t threads = c.device().is_cpu() ? 4 : 256;
    const uint64_t held = uint64_t(padded(k.rows)) + threads;  // floats
    require(held * sizeof(float) <= c.device().limits().shared_bytes, op,
            k.shape() + " has more rows than fit into a workgroup's memory");
    const params::AdditiveAttentionParams p{view(q), view(k), view(v),   view(gate),
                                            view(y), k.rows,  k.columns, v.columns};
    c.dispatch(Kernel(op, k.type, {threads, padded(k.rows)}), {threads, q.rows, q.batch},
               {read(q), read(k), read(v), read(how.weight), read(gate), write(y)}, p);
}

void additive_map(Commands& c, const Tensor& map, const Tensor& q, const Tensor& k,
                  const Additive& how, uint32_t first_row) {
    constexpr const char* op = "additive_map";
    require_additive(op, q, k, how);
    require(map.type == Type::f32 && map.batch == q.batch && map.columns == k.rows &&
                uint64_t(first_row) + map.rows <= q.rows,
            op, "a map " + map.shape() + " for q " + q.shape() + " and k " + k.shape());
    const uint32_t threads = row_threads(c);
    const params::AdditiveMapParams p{view(q), view(k), view(map), first_row, k.rows, k.columns};
    c.dispatch(Kernel(op, k.type, Type::f32, {threads}), {threads, map.rows, map.batch},
               {read(q), read(k), read(how.weight), read_write(map)}, p);
}

void lstm_cell(Commands& c, const LstmState& to, const Tensor& gates, const Tensor& before) {
    constexpr const char* op = "lstm_cell";
    const uint32_t columns = before.columns;
    auto same = [&](const Tensor& t) {
        return t.batch == before.batch && t.rows == before.rows && t.columns == columns;
    };
    require(same(to.c) && same(to.h) && same(to.y) && before.type == Type::f32 &&
                to.c.type == Type::f32 && to.h.type == Type::f32 && to.y.type != Type::u32,
            op,
            before.shape() + " into " + to.c.shape() + ", " + to.h.shape() + ", " + to.y.shape());
    require(gates.type == Type::f32 && gates.batch == before.batch && gates.rows == before.rows &&
                gates.columns == 4 * padded(columns),
            op, "gates " + gates.shape() + " for " + before.shape());
    for (const Tensor* t : {&gates, &before, &to.c, &to.h, &to.y}) require_wide(*t, op);
    const params::LstmCellParams p{view(gates), view(before), view(to.c),     view(to.h),
                                   view(to.y),  columns,      padded(columns)};
    c.dispatch(Kernel(op, Type::f32, to.y.type, {c.device().is_cpu() ? 4u : 64u}),
               {padded(columns) / 4, before.rows, before.batch},
               {read(gates), read(before), write(to.c), write(to.h), write(to.y)}, p);
}

}  // namespace saccade
