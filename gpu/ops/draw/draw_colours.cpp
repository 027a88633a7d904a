#include "gpu/ops/draw.h"

#include "gpu/ops/common.h"
#include "gpu/ops/draw/checks.h"
#include "shaders/draw/params.h"

namespace saccade {

void draw_colours(Commands& c, const Image& image, const Tensor& maps, const Tensor& settings,
                  const HeatPlace& place) {
    constexpr const char* op = "draw_colours";
    require(maps.type == Type::f32 && maps.batch == 3, op, maps.shape() + " are not three maps");
    require(place.cell_width > 0 && place.cell_height > 0, op, "cells have no size");
    require_words(settings, words_of<params::HeatSettings>(1), op, "settings");
    const params::DrawColoursParams p{.maps = view(maps),
                                      .rows = maps.rows,
                                      .columns = maps.columns,
                                      .width = image.width(),
                                      .height = image.height(),
                                      .left = place.left,
                                      .top = place.top,
                                      .cell_width = place.cell_width,
                                      .cell_height = place.cell_height};
    c.dispatch(Kernel(op, {pixel_threads(c)}), {image.width(), image.height()},
               {read_write(image), read(maps), read(settings)}, p);
}

}  // namespace saccade
