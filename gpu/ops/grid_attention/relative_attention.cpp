#include "gpu/ops/grid_attention.h"

#include "gpu/ops/common.h"
#include "gpu/ops/grid_attention/relative.h"
#include "shaders/grid_attention/params.h"

namespace saccade {

Tensor relative_attention(Commands& c, const Tensor& q, const Tensor& k, const Tensor& v,
                          const Heads& heads, const RelativeTerms& terms, bool residual) {
    constexpr const char* op = "relative_attention";
    const uint32_t size = relative_head_size(q, heads, op);
    require_relative(q, k, heads, terms, op);
    require(v.columns == k.columns && v.rows == k.rows && v.batch == k.batch && v.type == k.type,
            op, "k " + k.shape() + " and v " + v.shape());
    require_wide(v, op);
    const Tensor y = c.scratch(q.batch, q.rows, q.columns, q.type);
    const params::RelativeAttentionParams p{
        view(q), view(k), view(v),    view(terms.scores), view(y), grid_of(terms.places),
        q.rows,  k.rows,  heads.scale};
    const uint32_t threads = c.device().is_cpu() ? 8 : 64;
    const uint32_t keys = size > 128 ? 8 : size > 64 ? 16 : 32;  // that fit into shared memory
    c.dispatch(Kernel(op, q.type, {threads, size / 4, keys, residual ? 1u : 0u}),
               {divide_up(q.rows, threads) * threads, heads.count, q.batch},
               {read(q), read(k), read(v), read(terms.scores), write(y)}, p);
    return y;
}

}  // namespace saccade
