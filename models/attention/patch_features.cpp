#include "models/attention/patch_features.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gpu/core/error.h"
#include "gpu/ops/maps.h"
#include "gpu/ops/norms.h"
#include "gpu/ops/products.h"

namespace saccade {

namespace {

constexpr uint32_t first_steps = 32, later_steps = 2;  // of orthogonal iteration
constexpr float beyond = 0.02f;     // the fraction of cells left out at either end of a range
constexpr float kept_range = 0.8f;  // weight of the range of the pictures before
constexpr float far_above = 4;      // outliers exceed the 98th percentile times this

Tensor features_of(const Tap& tap, uint32_t batch) {
    if (!tap.features()) throw Error("the tap has no features: request them before recording");
    return tap.features().at_batch(batch);
}

}  // namespace

Tensor similarity_map(Commands& c, const Tap& tap, const TokenLayout& tokens, uint32_t token,
                      uint32_t batch) {
    const Tensor map = c.scratch(1, tokens.grid.y, tokens.grid.x, Type::f32);
    cosines_into(c, map, features_of(tap, batch), token, tokens.first_cell);
    return map;
}

Tensor similarities(Commands& c, const Tap& tap, const TokenLayout& tokens) {
    const Tensor cells = features_of(tap, 0).slice_rows(tokens.first_cell, area(tokens.grid));
    const Tensor unit = unit_rows(c, cells, 1e-20f, Type::f32);
    const Tensor all = c.scratch(1, cells.rows, cells.rows, Type::f32);
    linear_into(c, all, unit, {unit, {}});
    return all;
}

Tensor PatchColours::record(Commands& c, const Tap& tap, const TokenLayout& tokens,
                            uint32_t batch) {
    const Tensor features = features_of(tap, batch);
    if (!basis_ || basis_.columns != features.columns) {
        const uint64_t bytes = (tensor_bytes(1, 3, features.columns, Type::f32) + 255) / 256 * 256;
        memory_ = Buffer(*device_, "colours of patches", bytes + tensor_bytes(1, 3, 2, Type::f32),
                         Memory::device);
        basis_ = make_tensor(memory_.handle(), 0, 1, 3, features.columns, Type::f32);
        ranges_ = make_tensor(memory_.handle(), bytes, 1, 3, 2, Type::f32);
        fresh_ = true;
    }
    const Tensor maps = c.scratch(3, tokens.grid.y, tokens.grid.x, Type::f32);
    auto scope = c.scope("colours");
    principal_into(c, maps, basis_, features, tokens.first_cell,
                   {fresh_ ? first_steps : later_steps, fresh_});
    quantiles_into(c, ranges_, maps, {beyond, fresh_ ? 0 : kept_range});
    stretch_to_range(c, maps, ranges_);
    fresh_ = false;
    return maps;
}

void limit_outliers(Commands& c, const Tensor& maps) {
    auto scope = c.scope("outliers");
    const Tensor ranges = c.scratch(1, maps.batch, 2, Type::f32);
    quantiles_into(c, ranges, maps, {beyond});
    limit_to_range(c, maps, ranges, far_above);
}

float outlier_limit(const std::vector<float>& cells) {
    constexpr float none = std::numeric_limits<float>::infinity();
    if (cells.empty()) return none;
    std::vector<float> sorted = cells;
    const auto rank = static_cast<std::ptrdiff_t>(beyond * float(cells.size() - 1) + 0.5f);
    const auto place = sorted.end() - 1 - rank;
    std::nth_element(sorted.begin(), place, sorted.end());
    const float limit = far_above * *place;
    return *place > 0 && *std::ranges::max_element(cells) > limit ? limit : none;
}

}  // namespace saccade
