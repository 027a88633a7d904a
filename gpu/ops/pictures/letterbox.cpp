#include "gpu/ops/pictures.h"

#include <algorithm>

#include "gpu/ops/common.h"
#include "shaders/pictures/params.h"

namespace saccade {

Placement fitted(Size picture, Size screen) {
    if (area(picture) == 0 || area(screen) == 0) return {};
    const double scale = std::min(double(screen.x) / picture.x, double(screen.y) / picture.y);
    auto side = [&](uint32_t length, uint32_t most) {
        return std::clamp(static_cast<uint32_t>(length * scale + 0.5), 1u, most);
    };
    const uint32_t width = side(picture.x, screen.x);
    const uint32_t height = side(picture.y, screen.y);
    return {static_cast<int>((screen.x - width) / 2), static_cast<int>((screen.y - height) / 2),
            width, height};
}

void letterbox(Commands& c, const Image& screen, const Image& picture, const Placement& place) {
    constexpr const char* op = "letterbox";
    require(place.width > 0 && place.height > 0, op, "the picture has no place on the screen");
    params::LetterboxParams p{screen.width(),
                              screen.height(),
                              picture.width(),
                              picture.height(),
                              place.left,
                              place.top,
                              place.width,
                              place.height,
                              0,
                              0};
    p.step_x = float(picture.width()) / float(place.width);
    p.step_y = float(picture.height()) / float(place.height);
    const bool enlarge = p.step_x < 1 && p.step_y < 1;
    c.dispatch(Kernel("letterbox", {pixel_threads(c), enlarge ? 1u : 0u}),
               {screen.width(), screen.height()}, {read(picture), write(screen)}, p);
}

}  // namespace saccade
