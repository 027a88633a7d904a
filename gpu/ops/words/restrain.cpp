#include "gpu/ops/words.h"

#include "gpu/ops/common.h"
#include "shaders/words/params.h"

namespace saccade {

void restrain(Commands& c, const Tensor& scores, const Tensor& ids, const Restraint& restraint) {
    constexpr const char* op = "restrain";
    const Tensor &banned = restraint.banned, &less = restraint.less;
    require(scores.rows == 1 && scores.type == Type::f32 && ids.batch == scores.batch &&
                ids.columns == 1 && ids.type == Type::u32,
            op, scores.shape() + " after " + ids.shape());
    require(!banned || (banned.type == Type::u32 && banned.all_rows() == 1), op,
            "banned " + banned.shape());
    require(!less || (less.type == Type::f32 && less.batch == scores.batch && less.rows == 1 &&
                      less.columns == 1),
            op, "less " + less.shape() + " for " + scores.shape());
    const params::RestrainParams p{
        .scores = view(scores.batches_as_rows()),
        .ids = view(ids),
        .less = less ? view(less.batches_as_rows()) : params::View{},
        .columns = scores.columns,
        .said = ids.rows,
        .banned = banned ? banned.offset : 0,
        .banned_count = banned ? banned.columns : 0,
        .run = restraint.run,
        .forced = restraint.forced,
        .use_less = less ? 1u : 0u,
        .penalty = restraint.penalty,
    };
    const uint32_t threads = row_threads(c);
    c.dispatch(
        Kernel("restrain", {threads}), {threads, scores.batch},
        {read_write(scores), read(ids), read(banned ? banned : ids), read(less ? less : ids)}, p);
}

}  // namespace saccade
