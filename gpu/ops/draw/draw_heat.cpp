#include "gpu/ops/draw.h"

#include <algorithm>

#include "gpu/ops/common.h"
#include "gpu/ops/draw/checks.h"
#include "shaders/draw/params.h"

namespace saccade {

void draw_heat(Commands& c, const Image& image, const Image& picture, const Tensor& maps,
               const HeatColours& colours, const HeatPlace& place, const HeatTiles& tiles) {
    constexpr const char* op = "draw_heat";
    require_words(colours.table, 256, op, "colours");
    require(place.cell_width > 0 && place.cell_height > 0, op, "cells have no size");
    const bool in_place = &image == &picture;
    const uint32_t across = std::min(maps.batch, tiles.across);
    const uint32_t down = divide_up(maps.batch, std::max(across, 1u));
    require(across > 0 && (in_place ? maps.batch == 1 : true) &&
                (across - 1) * tiles.pitch_x + picture.width() <= image.width() &&
                tiles.top + (down - 1) * tiles.pitch_y + picture.height() <= image.height(),
            op,
            std::to_string(maps.batch) + " tiles of " + std::to_string(picture.width()) + "x" +
                std::to_string(picture.height()) + " do not fit into a picture of " +
                std::to_string(image.width()) + "x" + std::to_string(image.height()));
    const Tensor levels = heat_levels(c, maps, colours.settings);
    const params::DrawHeatParams p{.maps = view(maps),
                                   .levels = view(levels),
                                   .rows = maps.rows,
                                   .columns = maps.columns,
                                   .picture_width = picture.width(),
                                   .left = place.left,
                                   .top = place.top,
                                   .cell_width = place.cell_width,
                                   .cell_height = place.cell_height,
                                   .tiles_across = tiles.across,
                                   .tiles_top = tiles.top,
                                   .pitch_x = tiles.pitch_x,
                                   .pitch_y = tiles.pitch_y};
    const uint32_t threads = c.device().is_cpu() ? 4 : 32;
    c.dispatch(Kernel("draw_heat", {threads, in_place ? 1u : 0u}),
               {(maps.columns + 1) * threads, picture.height(), maps.batch},
               {write(image), read(picture), read(maps), read(levels), read(colours.settings),
                read(colours.table)},
               p);
}

}  // namespace saccade
