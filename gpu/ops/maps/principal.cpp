#include "gpu/ops/maps.h"

#include "gpu/ops/common.h"
#include "gpu/ops/maps/feature_maps.h"
#include "gpu/ops/rows.h"
#include "shaders/maps/params.h"

namespace saccade {

void principal_into(Commands& c, const Tensor& maps, const Tensor& basis, const Tensor& features,
                    uint32_t first, const PrincipalSteps& how) {
    constexpr const char* op = "principal";
    require_features(op, features, first, maps);
    require(maps.batch == 3 && basis.batch == 1 && basis.rows == 3 &&
                basis.columns == features.columns && basis.type == Type::f32,
            op, features.shape() + " along " + basis.shape() + " into " + maps.shape());
    require_wide(basis, op);
    auto scope = c.scope(op);
    const Tensor mean = c.scratch(1, 1, features.columns, Type::f32);
    mean_rows_into(c, mean, features.slice_rows(first, maps.rows * maps.columns));
    const Tensor turned = c.scratch(1, 3, features.columns, Type::f32);

    const uint32_t threads = row_threads(c);
    params::PrincipalParams p{.x = view(features),
                              .mean = view(mean),
                              .basis = view(basis),
                              .maps = view(maps),
                              .first = first,
                              .columns = features.columns,
                              .rows = maps.rows,
                              .width = maps.columns};
    auto project = [&] {
        c.dispatch(Kernel("principal.project", {threads}),
                   {padded(maps.columns) * threads, maps.rows},
                   {read(features), read(mean), read(basis), write(maps)}, p);
    };
    auto turn = [&](bool fresh) {
        params::PrincipalParams into = p;
        into.basis = view(turned);
        c.dispatch(Kernel("principal.turn", {threads, fresh ? 1u : 0u}),
                   {threads, padded(features.columns) / 4},
                   {read(features), read(mean), read(fresh ? mean : maps), write(turned)}, into);
        const params::PrincipalUnitParams unit{view(turned), view(basis), features.columns};
        c.dispatch(Kernel("principal.unit", {threads}), {threads},
                   {read(turned), read_write(basis)}, unit);
    };
    if (how.fresh) turn(true);
    for (uint32_t i = 0; i < how.steps; ++i) {
        project();
        turn(false);
    }
    project();
}

}  // namespace saccade
