#include "gpu/ops/attention.h"

#include "gpu/ops/common.h"
#include "shaders/attention/params.h"

namespace saccade {

void joint_attention_into(Commands& c, const Tensor& y, const Tensor& q, const Tensor& k,
                          const Heads& heads) {
    constexpr const char* op = "joint_attention";
    require(q.batch == 1 && k.batch == 1 && q.columns == k.columns && q.type == k.type &&
                y.type == q.type && q.columns % heads.count == 0 &&
                q.columns / heads.count % 4 == 0,
            op, q.shape() + " of " + k.shape());
    require(y.batch == q.rows && y.rows == k.rows && y.columns == heads.count, op,
            q.shape() + " of " + k.shape() + " into " + y.shape());
    for (const Tensor* t : {&y, &q, &k}) require_wide(*t, op);
    const params::JointAttentionParams p{
        view(q), view(k), view(y), k.rows, heads.count, q.columns / heads.count, heads.scale};
    const uint32_t threads = row_threads(c);
    c.dispatch(Kernel(op, q.type, {threads}), {threads, q.rows}, {read(q), read(k), write(y)}, p);
}

}  // namespace saccade
