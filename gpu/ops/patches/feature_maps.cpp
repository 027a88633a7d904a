#include "gpu/feature_maps.h"

#include "gpu/ops/common.h"
#include "gpu/patches.h"

namespace saccade {

namespace {

constexpr uint64_t most_cells = 1u << 22;  // divide() of the kernels ends there

void require_features(const char* op, const Tensor& features, uint32_t first, const Tensor& maps) {
    const uint64_t cells = uint64_t(maps.rows) * maps.columns;
    require(features.batch == 1 && features.type == Type::f32 && maps.type == Type::f32 &&
                cells > 0 && cells < most_cells && first + cells <= features.rows,
            op,
            features.shape() + " from token " + std::to_string(first) + " on into " + maps.shape());
    require_wide(features, op);
}

void require_ranges(const char* op, const Tensor& ranges, const Tensor& maps) {
    require(maps.type == Type::f32 && ranges.type == Type::f32 && ranges.batch == 1 &&
                ranges.rows == maps.batch && ranges.columns == 2 &&
                uint64_t(maps.rows) * maps.columns < most_cells,
            op, maps.shape() + " in " + ranges.shape());
}

void fit_range(Commands& c, const Tensor& maps, const Tensor& ranges, bool stretch, float factor) {
    constexpr const char* op = "fit_range";
    require_ranges(op, ranges, maps);
    const params::FitRangeParams p{view(maps), view(ranges), maps.rows, maps.columns, factor};
    c.dispatch(Kernel(op, {c.device().is_cpu() ? 4u : 32u, stretch ? 1u : 0u}),
               {maps.columns, maps.rows, maps.batch}, {read_write(maps), read(ranges)}, p);
}

}  // namespace

void cosines_into(Commands& c, const Tensor& y, const Tensor& features, uint32_t token,
                  uint32_t first) {
    constexpr const char* op = "cosines";
    require_features(op, features, first, y);
    require(y.batch == 1 && token < features.rows, op,
            "token " + std::to_string(token) + " of " + features.shape() + " into " + y.shape());
    const uint32_t threads = row_threads(c);
    const params::CosinesParams p{view(features), view(y),          token,
                                  first,          features.columns, y.columns};
    c.dispatch(Kernel(op, {threads}), {padded(y.columns) * threads, y.rows},
               {read(features), write(y)}, p);
}

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

void quantiles_into(Commands& c, const Tensor& ranges, const Tensor& maps, const Quantiles& how) {
    constexpr const char* op = "quantiles";
    require_ranges(op, ranges, maps);
    require(how.part >= 0 && how.part < 0.5f && how.keep >= 0 && how.keep < 1, op,
            "a part of " + std::to_string(how.part) + ", keeping " + std::to_string(how.keep));
    const params::QuantilesParams p{view(maps),   view(ranges), maps.rows,
                                    maps.columns, how.part,     how.keep};
    const uint64_t times = 32;  // that it goes over a map
    const uint32_t threads = threads_for_steps(c, c.device().is_cpu() ? 4 : 256,
                                               times * maps.rows * maps.columns);
    c.dispatch(Kernel(op, {threads}), {threads, 2, maps.batch}, {read(maps), read_write(ranges)},
               p);
}

void stretch_to_range(Commands& c, const Tensor& maps, const Tensor& ranges) {
    fit_range(c, maps, ranges, true, 1);
}

void limit_to_range(Commands& c, const Tensor& maps, const Tensor& ranges, float factor) {
    fit_range(c, maps, ranges, false, factor);
}

}  // namespace saccade
