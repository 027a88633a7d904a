#include "app/lab/dump_parts.h"

#include <algorithm>

namespace saccade {

void add_pixel_values(Engine& engine, const PictureInput& input, const Frame& frame,
                      Collection& out) {
    // Patches of one pixel, of which there is always a whole number.
    PictureInput pixels(engine.device(), input.preprocessor(), {1, 1});
    pixels.prepare({frame.width(), frame.height()}, input.within());
    const std::vector<float> rows = read_back(engine, "pixel_values", [&](Commands& c) {
        const Tensor y = c.scratch(1, pixels.patches(), 3, engine.precision());
        pixels.record(c, y, frame.image());
        return y;
    });
    const size_t count = pixels.patches();
    std::vector<float> values(3 * count);
    for (size_t i = 0; i < rows.size(); ++i) values[i % 3 * count + i / 3] = rows[i];
    out.add("pixel_values", {1, 3, pixels.plan().height, pixels.plan().width}, std::move(values));
}

void add_some_tokens(Engine& engine, const std::string& name, const Tensor& rows, Collection& out) {
    const std::vector<float> all =
        read_back(engine, name.c_str(), [&](Commands&) { return rows; });
    std::vector<float> some;
    uint64_t count = 0;
    for (uint32_t i = 0; i < rows.rows; i += std::max(1u, rows.rows / 16), ++count) {
        const auto row = all.begin() + std::ptrdiff_t(size_t(i) * rows.columns);
        some.insert(some.end(), row, row + rows.columns);
    }
    out.add(name, {count, rows.columns}, std::move(some));
}

}  // namespace saccade
