#ifndef SACCADE_DRAW_PARAMS
#define SACCADE_DRAW_PARAMS
#include "shaders/common/params.h"

#ifdef __cplusplus
#define SACCADE_FUNCTION inline
#else
#define SACCADE_FUNCTION
#endif

SACCADE_PARAMS_BEGIN

// Colours are words of four bytes, red in the lowest, alpha in the highest.

// A letter at its place in a text. Pairs of 16 bits, x in the lower half.
struct Glyph {
    uint place;   // from the text's upper left corner, signed
    uint source;  // in the atlas
    uint size;
    uint ink;  // 0: the plate's
};

// A text that has been laid out: `count` glyphs from `first` on.
struct Run {
    uint first, count;
    uint width;   // pixels
    uint colour;  // of the class that it names
};

// A rectangle with round corners: filled, framed inside its edges, with a text that is cut off
// where the rectangle ends. Colours without alpha are not drawn.
struct Plate {
    float left, top, right, bottom;  // pixels
    uint fill, frame, ink;
    float frame_width, radius;
    uint run;            // no_run: no text
    int text_x, text_y;  // its upper left corner
};
SACCADE_CONSTANT no_run = 0xffffffffu;
// A list of plates is its length, three unused words, and the plates.
SACCADE_CONSTANT plate_list_header = 4;

struct DrawPlatesParams {
    uint width, height;  // of the image
    uint atlas_side;
};

// How the labels of boxes and classes look, in pixels.
struct LabelStyle {
    uint line;         // height of a line of text
    uint margin;       // around it
    uint frame_width;  // of boxes
    uint plate;        // alpha behind text, 0 .. 255
};

// The heights of the bar of a likely class, and of all of its row.
SACCADE_FUNCTION uint class_bar(LabelStyle style) {
    return style.line / 5 > 2 ? style.line / 5 : 2;
}
SACCADE_FUNCTION uint class_row(LabelStyle style) {
    return style.line + class_bar(style) + 2 * style.margin;
}

// A rectangle in pixels.
struct Area {
    float left, top, right, bottom;
};

// In mapped memory, so that it can change from frame to frame. A word for each class follows: 0
// hides the class.
SACCADE_CONSTANT most_taken = 32;
struct BoxSettings {
    float threshold;
    uint most;
    uint selected;  // this query's box is highlighted, and the strongest of all; no_query: none
    float same;     // boxes that overlap by more (IoU) are one thing; 1: never
    uint taken;     // how many areas other texts have taken
    Area areas[most_taken];
};
SACCADE_CONSTANT no_query = 0xffffffffu;

struct BoxPlatesParams {
    View found;
    uint queries, classes;
    uint width, height;  // of the image
    LabelStyle style;
};

struct DrawMasksParams {
    View masks, list, found;
    uint count, classes;
    uint columns, rows;  // of a mask
    uint width, height;  // of the image
};

// In mapped memory: how many of a classifier's classes are shown.
struct ClassSettings {
    uint most;
};

struct ClassPlatesParams {
    View scores, ids;
    uint ranks;    // that the classifier gives
    uint classes;  // that have names
    float left, top, width;
    uint paper, ink;  // colours
    LabelStyle style;
};

// In mapped memory: how a map of attention becomes colours.
struct HeatSettings {
    float opacity;          // 0: nothing is drawn
    float mass;             // only the fewest cells that hold this part of a map's sum are drawn
    float lowest, highest;  // the ends of the scale where it is fixed
    uint scale;
};
SACCADE_CONSTANT heat_scale_fixed = 0;    // lowest .. highest
SACCADE_CONSTANT heat_scale_max = 1;      // 0 .. a map's own largest
SACCADE_CONSTANT heat_scale_min_max = 2;  // a map's own smallest .. its largest

struct HeatLevelsParams {
    View maps, levels;
    uint rows, columns;
};

struct DrawHeatParams {
    View maps, levels;
    uint rows, columns;  // cells of a map
    uint picture_width;
    float left, top;  // of the first cell, in pixels of the picture
    float cell_width, cell_height;
    uint tiles_across,
        tiles_top;          // how many are side by side, and where the first row of them begins
    uint pitch_x, pitch_y;  // from one tile to the next
};

// Three maps as red, green and blue over an image.
struct DrawColoursParams {
    View maps;
    uint rows, columns;  // cells of a map
    uint width, height;  // of the image
    float left, top;     // of the first cell, in pixels
    float cell_width, cell_height;
};

// Triangles over an image, tile by tile. A triangle is this many words: for each corner x and y in
// pixels; 1 / (twice the area); for each corner u and v in texels; for each corner its colour; left
// | top << 16 and right | bottom << 16 of its clip rectangle; and flags.
SACCADE_CONSTANT triangle_tile = 16;
SACCADE_CONSTANT triangle_words = 19;
SACCADE_CONSTANT triangle_area = 6;
SACCADE_CONSTANT triangle_texels = 7;
SACCADE_CONSTANT triangle_colours = 13;
SACCADE_CONSTANT triangle_clip = 16;
SACCADE_CONSTANT triangle_flags = 18;
SACCADE_CONSTANT triangle_textured = 1;
SACCADE_CONSTANT triangle_owns_edge = 2;     // << edge: pixels right on that edge belong to it
SACCADE_CONSTANT triangle_turned_edge = 16;  // << edge: it is measured from its end
struct TrianglesParams {
    uint width, height;  // of the image
    uint tiles_across;
    uint atlas_width, atlas_height;
};

SACCADE_PARAMS_END

#endif
