#pragma once

#include "gpu/core/geometry.h"
#include "gpu/core/tensor.h"
#include "gpu/ops/rows.h"
#include "gpu/recorder/commands.h"
#include "shaders/draw/params.h"

// Drawing onto a frame, in place: plates (filled rectangles with text), heat maps, masks, and the
// triangles of a user interface. Kernels lay out the plates of detections and classes, the CPU lays
// out others in mapped memory, and draw_plates draws them all.

namespace saccade {

// Texts that have been laid out, and the glyphs they are made of.
struct Texts {
    Tensor runs;    // params::Run
    Tensor glyphs;  // params::Glyph
    Tensor atlas;   // side x side bytes of coverage
    uint32_t atlas_side = 0;
};

// Memory for structs of words, as kernels see it.
template <typename Struct>
constexpr uint32_t words_of(uint32_t count) {
    return count * static_cast<uint32_t>(sizeof(Struct) / sizeof(uint32_t));
}
// The words that a list of this many plates takes.
constexpr uint32_t plate_list_words(uint32_t plates) {
    return params::plate_list_header + words_of<params::Plate>(plates);
}

// Draws each plate over those before it.
void draw_plates(Commands& c, const Image& image, const Tensor& plates, const Texts& texts);

// A frame, a label and a score for each detection that the settings let through, as a list of
// plates. found is (1, rows, 7) as detections_into makes it, in pixels of the frame.
// `runs` are the labels of the classes and then "0%" to "100%"; `settings` is a params::BoxSettings
// and a word for each class.
Tensor box_plates(Commands& c, const Tensor& found, const Tensor& settings, const Tensor& runs,
                  uint32_t classes, Size frame, const params::LabelStyle& style);

// Tints the objects of some masks. Where masks overlap, the one with the best score shows.
struct Masks {
    Tensor logits;  // (1, n, cells) f32
    Tensor list;    // (1, 2, n) u32: their queries and their rows of found, see best_queries_into
    Size size;      // of each
};
void draw_masks(Commands& c, const Image& image, const Masks& masks, const Tensor& found,
                const Tensor& settings, const Tensor& runs, uint32_t classes);

// A panel with a name, a bar and a score for each of the likeliest classes, as a list of plates.
// `top` is what topk made of one picture's probabilities, `settings` a params::ClassSettings; runs
// as for boxes.
struct ClassPanel {
    float left = 0, top = 0, width = 0;
    uint32_t paper = 0, ink = 0;  // colours
    params::LabelStyle style;
    // With this many classes.
    float height(uint32_t lines) const {
        return static_cast<float>(lines * params::class_row(style) + 2 * style.margin);
    }
};
Tensor class_plates(Commands& c, const Top& top, const Tensor& settings, const Tensor& runs,
                    uint32_t classes, const ClassPanel& panel);

// The scale of each heat map: (1, maps, 4) f32, a row is the smallest cell, the largest,
// the cut, and the sum. The cells from the cut on are the fewest that hold the part of the sum that
// settings, a params::HeatSettings, asks for; equal cells stay together. maps is (maps, rows,
// columns) f32.
Tensor heat_levels(Commands& c, const Tensor& maps, const Tensor& settings);

// Maps as colours over a picture. It may be the image itself, for a single map; or map i goes to
// the i-th of several tiles, each as large as the picture, and what lies between them is left
// alone.
struct HeatPlace {
    float left = 0, top = 0;  // of the first cell, in pixels of the picture
    float cell_width = 1, cell_height = 1;
};
struct HeatTiles {
    uint32_t across = 1, top = 0;
    uint32_t pitch_x = 0, pitch_y = 0;  // from one tile to the next
};
struct HeatColours {
    const Tensor& settings;  // a params::HeatSettings
    const Tensor& table;     // 256 colours, from the lowest heat to the highest
};
void draw_heat(Commands& c, const Image& image, const Image& picture, const Tensor& maps,
               const HeatColours& colours, const HeatPlace& place, const HeatTiles& tiles = {});

// Three maps as red, green and blue over an image, as strong as settings, a params::HeatSettings,
// say: maps is (3, rows, columns) f32, from 0 to 1.
void draw_colours(Commands& c, const Image& image, const Tensor& maps, const Tensor& settings,
                  const HeatPlace& place);

// Triangles in the order they were given, laid over an image by their alpha: what a user interface
// is made of. TriangleList makes these.
struct Triangles {
    Tensor tiles;   // (tiles) pairs first, count of `list`: u32, one for each 16 x 16 pixels
    Tensor list;    // (n) which triangles, in order: u32
    Tensor shapes;  // (n, triangle_words) u32, see shaders/draw/params.h
    Tensor atlas;   // (rows, columns) bytes of coverage in u32 words, rows without padding
    Size atlas_size;
};
void triangles(Commands& c, const Image& image, const Triangles& what);

}  // namespace saccade
