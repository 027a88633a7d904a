#include "gpu/draw.h"
#include "gpu/ops/common.h"

namespace saccade {

namespace {

void require_words(const Tensor& t, uint64_t words, const char* op, const char* what) {
    require(t.type == Type::u32 && t.offset == 0 && t.bytes >= words * sizeof(uint32_t), op,
            std::string(what) + " " + t.shape() + " should be " + std::to_string(words) + " words");
}

}  // namespace

void draw_plates(Commands& c, const Image& image, const Tensor& plates, const Texts& texts) {
    constexpr const char* op = "draw_plates";
    require_words(plates, params::plate_list_header, op, "plates");
    require_words(texts.runs, 1, op, "runs");
    require_words(texts.glyphs, 1, op, "glyphs");
    require_words(texts.atlas, uint64_t(texts.atlas_side) * texts.atlas_side / 4, op, "an atlas");
    // A GPU has a thread for each pixel of a tile; software Vulkan a register full of them, and it
    // wants few and large tiles.
    struct {
        uint32_t threads_x, threads_y, width, height;
    } tile{16, 16, 16, 16};
    if (c.device().is_cpu()) tile = {4, 1, 64, 16};
    const params::DrawPlatesParams p{image.width(), image.height(), texts.atlas_side};
    c.dispatch(
        Kernel("draw_plates", {tile.threads_x, tile.threads_y, tile.width, tile.height}),
        {divide_up(image.width(), tile.width) * tile.threads_x,
         divide_up(image.height(), tile.height) * tile.threads_y},
        {read_write(image), read(plates), read(texts.runs), read(texts.glyphs), read(texts.atlas)},
        p);
}

Tensor box_plates(Commands& c, const Tensor& found, const Tensor& settings, const Tensor& runs,
                  uint32_t classes, Size frame, const params::LabelStyle& style) {
    constexpr const char* op = "box_plates";
    require(found.batch == 1 && found.columns >= 7 && found.type == Type::f32, op,
            found.shape() + " is not what a detector found");
    require_wide(found, op);
    require_words(settings, words_of<params::BoxSettings>(1) + classes, op, "settings");
    require_words(runs, words_of<params::Run>(classes + 101), op, "runs");
    const Tensor plates = c.scratch(1, 1, plate_list_words(3 * found.rows), Type::u32);
    const params::BoxPlatesParams p{view(found), found.rows, classes, frame.x, frame.y, style};
    const uint32_t threads = row_threads(c);
    c.dispatch(Kernel("box_plates", {threads}), {threads},
               {read(found), read(settings), read(runs), write(plates)}, p);
    return plates;
}

Tensor class_plates(Commands& c, const Top& top, const Tensor& settings, const Tensor& runs,
                    uint32_t classes, const ClassPanel& panel) {
    constexpr const char* op = "class_plates";
    const uint32_t ranks = top.values.columns;
    require(top.values.all_rows() == 1 && top.columns.all_rows() == 1 &&
                top.columns.columns == ranks && top.values.type == Type::f32 &&
                top.columns.type == Type::u32,
            op, top.values.shape() + " and " + top.columns.shape() + " are not one picture's");
    require_words(settings, words_of<params::ClassSettings>(1), op, "settings");
    require_words(runs, words_of<params::Run>(classes + 101), op, "runs");
    const Tensor plates = c.scratch(1, 1, plate_list_words(1 + 4 * ranks), Type::u32);
    const params::ClassPlatesParams p{view(top.values), view(top.columns), ranks,       classes,
                                      panel.left,       panel.top,         panel.width, panel.paper,
                                      panel.ink,        panel.style};
    c.dispatch(Kernel("class_plates", {row_threads(c)}), {ranks},
               {read(top.values), read(top.columns), read(settings), read(runs), write(plates)}, p);
    return plates;
}

Tensor heat_levels(Commands& c, const Tensor& maps, const Tensor& settings) {
    constexpr const char* op = "heat_levels";
    require(maps.type == Type::f32 && uint64_t(maps.rows) * maps.columns < 1u << 22, op,
            maps.shape() + " are not maps of attention");  // divide() ends there
    require_words(settings, words_of<params::HeatSettings>(1), op, "settings");
    const Tensor levels = c.scratch(1, maps.batch, 4, Type::f32);
    const params::HeatLevelsParams p{view(maps), view(levels), maps.rows, maps.columns};
    const uint64_t times = 33;  // that it goes over a map
    const uint32_t threads = threads_for_steps(c, c.device().is_cpu() ? 4 : 256,
                                               times * maps.rows * maps.columns);
    c.dispatch(Kernel("heat_levels", {threads}), {threads, 1, maps.batch},
               {read(maps), read(settings), write(levels)}, p);
    return levels;
}

void draw_heat(Commands& c, const Image& image, const Image& picture, const Tensor& maps,
               const Tensor& settings, const Tensor& colours, const HeatPlace& place,
               const HeatTiles& tiles) {
    constexpr const char* op = "draw_heat";
    require_words(colours, 256, op, "colours");
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
    const Tensor levels = heat_levels(c, maps, settings);
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
    c.dispatch(
        Kernel("draw_heat", {threads, in_place ? 1u : 0u}),
        {(maps.columns + 1) * threads, picture.height(), maps.batch},
        {write(image), read(picture), read(maps), read(levels), read(settings), read(colours)}, p);
}

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

void draw_masks(Commands& c, const Image& image, const Masks& masks, const Tensor& found,
                const Tensor& settings, const Tensor& runs, uint32_t classes) {
    constexpr const char* op = "draw_masks";
    const uint32_t count = masks.logits.rows;
    require(masks.logits.type == Type::f32 && masks.logits.columns == area(masks.size) &&
                masks.list.type == Type::u32 && masks.list.rows == 2 &&
                masks.list.columns == count && found.type == Type::f32 && found.columns == 7,
            op, masks.logits.shape() + ", " + masks.list.shape() + " of " + found.shape());
    require_wide(found, op);
    require_words(settings, words_of<params::BoxSettings>(1) + classes, op, "settings");
    require_words(runs, words_of<params::Run>(classes), op, "labels");
    const params::DrawMasksParams p{.masks = view(masks.logits),
                                    .list = view(masks.list),
                                    .found = view(found),
                                    .count = count,
                                    .classes = classes,
                                    .columns = masks.size.x,
                                    .rows = masks.size.y,
                                    .width = image.width(),
                                    .height = image.height()};
    c.dispatch(Kernel(op, {pixel_threads(c)}), {image.width(), image.height()},
               {read_write(image), read(masks.logits), read(masks.list), read(found),
                read(settings), read(runs)},
               p);
}

}  // namespace saccade
