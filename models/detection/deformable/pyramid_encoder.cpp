#include "models/detection/deformable/pyramid_encoder.h"

#include <string>

#include "gpu/core/error.h"

namespace saccade {

void require_halves(const std::vector<Size>& sizes) {
    auto text = [](Size size) { return std::to_string(size.x) + "x" + std::to_string(size.y); };
    for (size_t i = 0; i + 1 < sizes.size(); ++i)
        if (sizes[i] != sizes[i + 1] * 2u)
            throw Error("this model's maps of " + text(sizes[i]) + " and " + text(sizes[i + 1]) +
                        " cells cannot be fused; both sides of a picture must be multiples of 32");
}

}  // namespace saccade
