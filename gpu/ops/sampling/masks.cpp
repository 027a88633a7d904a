#include "gpu/masks.h"

#include <algorithm>

#include "gpu/ops/common.h"

namespace saccade {

void best_queries_into(Commands& c, const Tensor& list, const Tensor& found) {
    constexpr const char* op = "best_queries";
    require(list.type == Type::u32 && list.batch == 1 && list.rows == 2 && found.type == Type::f32 &&
                found.batch == 1 && found.columns == 7 && list.columns <= found.rows,
            op, found.shape() + " into " + list.shape());
    const params::BestQueriesParams p{view(found), view(list), found.rows, list.columns};
    c.dispatch(Kernel(op, {pixel_threads(c)}), {std::max(found.rows, row_quantum)},
               {read(found), write(list)}, p);
}

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
    const params::JointAttentionParams p{view(q), view(k),     view(y),
                                         k.rows,  heads.count, q.columns / heads.count,
                                         heads.scale};
    const uint32_t threads = row_threads(c);
    c.dispatch(Kernel(op, q.type, {threads}), {threads, q.rows}, {read(q), read(k), write(y)}, p);
}

Tensor group_norm(Commands& c, const Tensor& x, const Norm& w, uint32_t groups,
                  Activation activation) {
    constexpr const char* op = "group_norm";
    require_norm(w, x, op);
    require_wide(x, op);
    require(groups > 0 && x.columns % groups == 0, op,
            std::to_string(groups) + " groups of " + x.shape());
    Tensor y = c.scratch(x.batch, x.rows, x.columns, x.type);
    auto scope = c.scope(op);
    const Tensor statistics = c.scratch(x.batch, groups, 2, Type::f32);
    params::GroupNormParams p{view(x), view(y), view(statistics), x.rows, x.columns, groups, w.eps};
    // Twice over a group's channels, in fours of which the first and the last may be others'.
    const uint64_t fours = x.columns / groups / 4 + 2;
    const uint32_t threads = threads_for_steps(c, row_threads(c), 2 * x.rows * (1 + fours));
    c.dispatch(Kernel("group_norm.statistics", x.type, {threads}), {threads, groups, x.batch},
               {read(x), write(statistics)}, p);
    in_pieces(x.rows, [&](uint32_t first, uint32_t count) {
        p.x = view(x, first);
        p.y = view(y, first);
        c.dispatch(Kernel(op, x.type, {pixel_threads(c), static_cast<uint32_t>(activation)}),
                   {padded(x.columns) / 4, count, x.batch},
                   {read(x), read(w.weight), read(w.bias), read(statistics), write(y)}, p);
    });
    return y;
}

Tensor add_enlarged(Commands& c, const Tensor& x, Size size, const Tensor& small, Size small_size) {
    constexpr const char* op = "add_enlarged";
    require(x.batch == 1 && x.rows == area(size) && small.rows == area(small_size) &&
                area(small_size) > 0 && x.columns == small.columns && x.type == small.type,
            op, small.shape() + " onto " + x.shape());
    require_wide(x, op);
    require_wide(small, op);
    Tensor y = c.scratch(small.batch, x.rows, x.columns, x.type);
    const params::AddEnlargedParams p{view(x), view(small),   view(y),      size.x,
                                      size.y,  small_size.x, small_size.y, x.columns};
    c.dispatch(Kernel(op, x.type, {pixel_threads(c)}),
               {size.x * (padded(x.columns) / 4), size.y, small.batch},
               {read(x), read(small), write(y)}, p);
    return y;
}

Tensor enlarge(Commands& c, const Tensor& x, Size from, Size to) {
    constexpr const char* op = "enlarge";
    require(x.rows == area(from) && area(from) > 0 && area(to) > 0, op,
            x.shape() + " is not a picture that can be enlarged");
    require_wide(x, op);
    Tensor y = c.scratch(x.batch, area(to), x.columns, x.type);
    const params::AddEnlargedParams p{{}, view(x), view(y), to.x, to.y, from.x, from.y, x.columns};
    c.dispatch(Kernel(op, x.type, {pixel_threads(c)}),
               {to.x * (padded(x.columns) / 4), to.y, x.batch}, {read(x), write(y)}, p);
    return y;
}

}  // namespace saccade
