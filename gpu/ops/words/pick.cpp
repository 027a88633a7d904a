#include "gpu/ops/words.h"

#include "gpu/chains/links.h"
#include "gpu/ops/common.h"
#include "shaders/words/params.h"

namespace saccade {

void pick(Commands& c, const Tensor& best, const Tensor& about, const Tensor& x) {
    constexpr const char* op = "pick";
    require(x.rows == 1 && x.type == Type::f32, op, "from " + x.shape());
    require(best.type == Type::u32 && about.type == Type::f32, op,
            best.shape() + ", " + about.shape());
    require(best.batch == x.batch && best.rows == 1 && best.columns == 1 &&
                about.batch == x.batch && about.rows == 3 && about.columns == 1,
            op, x.shape() + " into " + best.shape() + ", " + about.shape());
    require_wide(x, op);
    if (link_pick(c, best, about, x)) return;
    const Tensor rows = x.batches_as_rows();
    // Many workgroups find the best of a slice each; one workgroup finds the best of these.
    const uint32_t threads = row_threads(c), slice = c.device().is_cpu() ? 4096 : 1024;
    const uint32_t slices = divide_up(x.columns, slice);
    auto scope = c.scope(op);
    const Tensor parts = c.scratch(x.batch, slices, 3, Type::u32);
    const params::PickPartParams part{view(rows), view(parts), x.columns};
    c.dispatch(Kernel("pick.part", {threads, slice}), {slices * threads, x.batch},
               {read(x), write(parts)}, part);
    const params::PickMergeParams merge{view(parts), view(best), view(about), slices};
    c.dispatch(Kernel("pick.merge", {threads}), {threads, x.batch},
               {read(parts), write(best), write(about)}, merge);
}

}  // namespace saccade
