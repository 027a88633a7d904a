#include "app/draw/signed_map.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "app/draw/colour.h"

namespace saccade {

float largest_effect(const std::vector<float>& effects) {
    float most = 0;
    for (const float effect : effects) most = std::max(most, std::abs(effect));
    return most;
}

uint32_t effect_colour(double part) {
    static const std::array<uint32_t, 256> warm = heat_colours();
    if (part >= 0) return warm[static_cast<size_t>(std::lround(255 * std::min(part, 1.0)))];
    const double strength = std::min(-part, 1.0);
    return with_alpha(colour_from(0.35 + 0.4 * strength, 0.15, 250), strength);
}

std::vector<Marks::Patch> patches_of(const SignedMap& map, double opacity) {
    std::vector<Marks::Patch> patches;
    const float most = largest_effect(map.cells);
    const Size grid = map.geometry.grid;
    if (most <= 0) return patches;
    for (uint32_t row = 0; row < grid.y; ++row)
        for (uint32_t column = 0; column < grid.x; ++column) {
            const uint32_t colour = effect_colour(double(map.cells[row * grid.x + column] / most));
            const double alpha = channels_of(colour).a / 255.0 * opacity;
            if (alpha < 1 / 64.0) continue;
            const glm::vec2 from = map.geometry.corner + glm::vec2(column, row) * map.geometry.cell;
            patches.push_back({{from, from + map.geometry.cell}, with_alpha(colour, alpha)});
        }
    return patches;
}

}  // namespace saccade
