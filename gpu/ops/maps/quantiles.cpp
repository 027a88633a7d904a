#include "gpu/ops/maps.h"

#include "gpu/ops/common.h"
#include "gpu/ops/maps/feature_maps.h"
#include "shaders/maps/params.h"

namespace saccade {

void quantiles_into(Commands& c, const Tensor& ranges, const Tensor& maps, const Quantiles& how) {
    constexpr const char* op = "quantiles";
    require_ranges(op, ranges, maps);
    require(how.part >= 0 && how.part < 0.5f && how.keep >= 0 && how.keep < 1, op,
            "a part of " + std::to_string(how.part) + ", keeping " + std::to_string(how.keep));
    const params::QuantilesParams p{view(maps),   view(ranges), maps.rows,
                                    maps.columns, how.part,     how.keep};
    const uint64_t times = 32;  // that it goes over a map
    const uint32_t threads =
        threads_for_steps(c, c.device().is_cpu() ? 4 : 256, times * maps.rows * maps.columns);
    c.dispatch(Kernel(op, {threads}), {threads, 2, maps.batch}, {read(maps), read_write(ranges)},
               p);
}

}  // namespace saccade
