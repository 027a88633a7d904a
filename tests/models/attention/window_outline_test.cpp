#include "models/attention/window_outline.h"

#include <gtest/gtest.h>

namespace saccade {
namespace {

// Whether two cells of a map attend to each other, by the rule of the shader's windows.glsl.
bool together(const Windows& windows, uint32_t a, uint32_t b) {
    const Windows::Place from = windows.place_of(a), to = windows.place_of(b);
    if (from.window != to.window) return false;
    const uint32_t n = windows.window, edge = n - windows.shift;
    const Size count = windows.count();
    const Size at{from.window % count.x, from.window / count.x};
    auto apart = [&](uint32_t window, uint32_t last, uint32_t u, uint32_t v) {
        return windows.shift > 0 && window + 1 == last && (u >= edge) != (v >= edge);
    };
    return !apart(at.x, count.x, from.cell % n, to.cell % n) &&
           !apart(at.y, count.y, from.cell / n, to.cell / n);
}

TEST(WindowOutline, holds_exactly_the_cells_that_are_seen) {
    for (const Size& map : {Size{8, 8}, Size{9, 6}, Size{4, 13}, Size{7, 3}})
        for (const auto& [window, shift] :
             {std::pair{4u, 0u}, {4u, 2u}, {3u, 1u}, {7u, 3u}, {5u, 2u}}) {
            const Windows windows{.map = map, .window = window, .shift = shift, .bias = {}};
            for (uint32_t a = 0; a < area(map); ++a) {
                const CellRange seen = cells_in_window(windows, {a / map.x, a % map.x});
                for (uint32_t b = 0; b < area(map); ++b) {
                    const Size at{b % map.x, b / map.x};
                    const bool inside = at.x >= seen.from.x && at.x < seen.to.x &&
                                        at.y >= seen.from.y && at.y < seen.to.y;
                    EXPECT_EQ(inside, together(windows, a, b))
                        << map.x << "x" << map.y << ", window " << window << ", shift " << shift
                        << ": " << a << " and " << b;
                }
            }
        }
}

TEST(WindowOutline, lies_where_the_cells_do) {
    AttentionLayer layer;
    const MapGeometry geometry{.grid = {8, 8}, .corner = {-4, 10}, .cell = {20, 10}};
    EXPECT_FALSE(window_at(layer, geometry, {50, 50})) << "all is seen";
    layer.windows = Windows{.map = {8, 8}, .window = 4, .shift = 2, .bias = {}};
    // Column 2 and row 4 are in the window from 2 to 6 both ways.
    EXPECT_EQ(window_at(layer, geometry, {50, 55}), Rectangle(36, 30, 116, 70));
    EXPECT_EQ(window_at(layer, geometry, {0, 11}), Rectangle(-4, 10, 36, 30))
        << "the corner's rest";
}

}  // namespace
}  // namespace saccade
