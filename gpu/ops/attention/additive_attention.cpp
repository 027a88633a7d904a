#include "gpu/ops/attention.h"

#include "gpu/ops/attention/additive.h"
#include "gpu/ops/common.h"
#include "shaders/attention/params.h"

namespace saccade {

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

}  // namespace saccade
