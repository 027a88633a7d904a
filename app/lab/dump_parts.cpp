#include "app/lab/dump_parts.h"

namespace saccade {

namespace {

// (patches, 3 * h * w) back to (3, height, width).
std::vector<float> picture_of(const std::vector<float>& patches, const PictureInput& input) {
    const PreprocessPlan& plan = input.plan();
    const uint32_t pw = input.patch().x, ph = input.patch().y;
    const uint32_t across = plan.width / pw;
    std::vector<float> result(size_t(3) * plan.height * plan.width);
    for (uint32_t c = 0; c < 3; ++c)
        for (uint32_t y = 0; y < plan.height; ++y)
            for (uint32_t x = 0; x < plan.width; ++x)
                result[(size_t(c) * plan.height + y) * plan.width + x] =
                    patches[size_t(y / ph * across + x / pw) * input.patch_columns() +
                            (c * ph + y % ph) * pw + x % pw];
    return result;
}

}  // namespace

void add_pixel_values(Engine& engine, const PictureInput& input, const Frame& frame,
                      Collection& out) {
    const std::vector<float> patches = read_back(engine, "pixel_values", [&](Commands& c) {
        const Tensor y = c.scratch(1, input.patches(), input.patch_columns(), engine.precision());
        input.record(c, y, frame.image());
        return y;
    });
    out.add("pixel_values", {1, 3, input.plan().height, input.plan().width},
            picture_of(patches, input));
}

}  // namespace saccade
