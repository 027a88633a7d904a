#include "gpu/ops/rows.h"

#include <algorithm>

#include "gpu/ops/common.h"
#include "shaders/rows/params.h"

namespace saccade {

namespace {

// Each takes eight bytes of shared memory, of which every device has 16 KiB.
constexpr uint32_t most_selected = 1536;

// Up to this number of elements, each counts the elements that come before it in the order: one
// pass for each.
constexpr uint32_t few_elements = 1024, few_threads = 256, cpu_threads = 64;

constexpr uint64_t most_fours = 1 << 22;  // that divide() of types.glsl can tell apart

}  // namespace

Selected select(Commands& c, const Tensor& x, uint32_t k) {
    constexpr const char* op = "select";
    require_wide_f32(x, op);
    require(k > 0 && k <= uint64_t(x.rows) * x.columns && k <= most_selected, op,
            std::to_string(k) + " of " + x.shape());
    require(uint64_t(x.rows) * divide_up(x.columns, 4) < most_fours, op, "of " + x.shape());
    Selected found{c.scratch(x.batch, 1, k, Type::f32), c.scratch(x.batch, 1, k, Type::u32)};
    const params::SelectParams p{view(x), view(found.values), view(found.picks),
                                 x.rows,  x.columns,          k};
    const uint32_t elements = x.rows * x.columns;
    const bool all = elements <= few_elements;
    const uint32_t most = c.device().limits().workgroup_threads;
    const uint32_t threads = c.device().is_cpu() ? cpu_threads
                             : all               ? std::min(few_threads, most)
                                                 : most;
    c.dispatch(Kernel(op, {threads, padded(all ? elements : k), all}),
               {all ? elements * params::select_counters : threads, 1, x.batch},
               {read(x), write(found.values), write(found.picks)}, p);
    return found;
}

}  // namespace saccade
