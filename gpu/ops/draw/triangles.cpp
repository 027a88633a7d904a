#include "gpu/ops/draw.h"

#include "gpu/ops/common.h"
#include "shaders/draw/params.h"

namespace saccade {

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
