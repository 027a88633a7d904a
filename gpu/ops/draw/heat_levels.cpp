#include "gpu/ops/draw.h"

#include "gpu/ops/common.h"
#include "gpu/ops/draw/checks.h"
#include "shaders/draw/params.h"

namespace saccade {

Tensor heat_levels(Commands& c, const Tensor& maps, const Tensor& settings) {
    constexpr const char* op = "heat_levels";
    require(maps.type == Type::f32 && uint64_t(maps.rows) * maps.columns < 1u << 22, op,
            maps.shape() + " are not maps of attention");  // divide() ends there
    require_words(settings, words_of<params::HeatSettings>(1), op, "settings");
    const Tensor levels = c.scratch(1, maps.batch, 4, Type::f32);
    const params::HeatLevelsParams p{view(maps), view(levels), maps.rows, maps.columns};
    const uint64_t times = 33;  // that it goes over a map
    const uint32_t threads =
        threads_for_steps(c, c.device().is_cpu() ? 4 : 256, times * maps.rows * maps.columns);
    c.dispatch(Kernel("heat_levels", {threads}), {threads, 1, maps.batch},
               {read(maps), read(settings), write(levels)}, p);
    return levels;
}

}  // namespace saccade
