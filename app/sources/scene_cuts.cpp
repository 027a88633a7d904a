#include "app/sources/scene_cuts.h"

#include <cstdlib>
#include <utility>

namespace saccade {

namespace {

// Of the 4950 pairs of 100 photographs, 99.4 % differ by more than both; no photograph differs so
// much from itself when it is moved by 6 % of its width.
constexpr double least_change = 20;      // mean of the points' differences in brightness, of 255
constexpr double least_moved = 0.15;     // part of the histogram that lies elsewhere
constexpr uint32_t bytes_per_pixel = 3;  // of packed pixels

}  // namespace

SceneCuts::Sketch SceneCuts::sketch_of(const Slot& frame) {
    const PixelLayout::Plane plane = frame.layout.plane(0);
    const auto& yuv = frame.layout.yuv;
    const uint32_t bits = yuv ? yuv->bits : 8;
    // Green stands for the brightness of packed pixels.
    const uint32_t step = !yuv ? bytes_per_pixel : bits > 8 ? 2 : 1, first = yuv ? 0 : 1;
    Sketch sketch{};
    for (uint32_t row = 0; row < rows; ++row)
        for (uint32_t column = 0; column < columns; ++column) {
            const size_t y = size_t{2 * row + 1} * plane.height / (2 * rows);
            const size_t x = size_t{2 * column + 1} * plane.width / (2 * columns);
            const std::byte* const at =
                frame.bytes + plane.offset + y * plane.row_bytes + x * step + first;
            uint32_t value = std::to_integer<uint32_t>(at[0]);
            if (bits > 8) value = (value | std::to_integer<uint32_t>(at[1]) << 8) >> (bits - 8);
            const auto level = static_cast<uint8_t>(value);
            sketch.points[row * columns + column] = level;
            ++sketch.histogram[level * levels / 256];
        }
    return sketch;
}

bool SceneCuts::before(const Slot& frame) {
    const Sketch now = sketch_of(frame);
    const std::optional<Sketch> last = std::exchange(last_, now);
    if (!last) return false;
    int change = 0, moved = 0;
    for (size_t i = 0; i < now.points.size(); ++i)
        change += std::abs(int{now.points[i]} - int{last->points[i]});
    for (size_t i = 0; i < now.histogram.size(); ++i)
        moved += std::abs(int{now.histogram[i]} - int{last->histogram[i]});
    const auto points = static_cast<double>(now.points.size());
    return change > least_change * points && moved > 2 * least_moved * points;
}

}  // namespace saccade
