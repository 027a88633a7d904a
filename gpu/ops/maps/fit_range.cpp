#include "gpu/ops/maps.h"

#include "gpu/ops/common.h"
#include "gpu/ops/maps/feature_maps.h"
#include "shaders/maps/params.h"

namespace saccade {

namespace {

void fit_range(Commands& c, const Tensor& maps, const Tensor& ranges, bool stretch, float factor) {
    constexpr const char* op = "fit_range";
    require_ranges(op, ranges, maps);
    const params::FitRangeParams p{view(maps), view(ranges), maps.rows, maps.columns, factor};
    c.dispatch(Kernel(op, {c.device().is_cpu() ? 4u : 32u, stretch ? 1u : 0u}),
               {maps.columns, maps.rows, maps.batch}, {read_write(maps), read(ranges)}, p);
}

}  // namespace

void stretch_to_range(Commands& c, const Tensor& maps, const Tensor& ranges) {
    fit_range(c, maps, ranges, true, 1);
}

void limit_to_range(Commands& c, const Tensor& maps, const Tensor& ranges, float factor) {
    fit_range(c, maps, ranges, false, factor);
}

}  // namespace saccade
