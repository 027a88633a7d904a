#include <algorithm>

#include "gpu/ops/common.h"

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

void triangles(Commands& c, const Image& image, const Triangles& what) {
    constexpr const char* op = "triangles";
    const uint32_t across = divide_up(image.width(), params::triangle_tile);
    const uint32_t down = divide_up(image.height(), params::triangle_tile);
    require(what.tiles.bytes >= uint64_t(across) * down * 8, op,
            "there are not " + std::to_string(across) + "x" + std::to_string(down) + " tiles");
    require(what.atlas.bytes >= area(what.atlas_size), op, "the atlas is too small");
    for (const Tensor* t : {&what.tiles, &what.list, &what.shapes, &what.atlas})
        require(t->type == Type::u32 && t->offset == 0, op, t->shape() + " is not of words");
    const params::TrianglesParams p{image.width(), image.height(), across, what.atlas_size.x,
                                    what.atlas_size.y};
    c.dispatch(
        Kernel("triangles"), {image.width(), image.height()},
        {read(what.tiles), read(what.list), read(what.shapes), read(what.atlas), read_write(image)},
        p);
}

}  // namespace saccade
