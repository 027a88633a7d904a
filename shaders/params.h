// What a kernel is told at every dispatch (push constants) and when it is built (specialisation
// constants). This file is compiled both as C++ and as GLSL: only 32-bit scalars and structs of
// them, whose layout is the same in both.
#ifdef __cplusplus
#pragma once
#include <cstdint>
namespace saccade::params {
using uint = uint32_t;
#define SACCADE_CONSTANT inline constexpr uint
#else
#define SACCADE_CONSTANT const uint
#endif

// A specialisation constant that every pipeline gets, if its shader has it: 1 if the device converts
// halves to floats in one instruction.
#define NATIVE_HALVES_ID 100

// Where the elements of a (batch, rows, columns) tensor lie in its binding. Kernels take the batch
// from the third dispatch axis: no kernel divides by a number that it only learns at run time.
struct View {
    uint offset, batch_stride, row_stride;
};

// What follows a product: y = activation(x W^T + b).
SACCADE_CONSTANT activation_none = 0;
SACCADE_CONSTANT activation_gelu_erf = 1;
SACCADE_CONSTANT activation_gelu_tanh = 2;
SACCADE_CONSTANT activation_quick_gelu = 3;
SACCADE_CONSTANT activation_relu = 4;
SACCADE_CONSTANT activation_tanh = 5;
SACCADE_CONSTANT activation_sigmoid = 6;
SACCADE_CONSTANT activation_silu = 7;
SACCADE_CONSTANT activation_hard_swish = 8;
SACCADE_CONSTANT activation_clip = 9;  // to -10 .. 10

struct LinearParams {
    View x, y;
    uint bias;      // where b begins
    uint m, n, k;   // rows of x in a batch, columns of y, columns of x
    uint w_stride;  // elements from one row of W to the next
};

// y = activation(LN(x) W^T + b)
struct NormLinearParams {
    View x, y;
    uint bias;
    uint m, n, k;
    uint w_stride;
    float eps;
};

// Halves of a stream are this many times smaller than it: so they have room for large values.
SACCADE_CONSTANT halves_scale = 16;

// Where products on cooperative matrices find x and the fragments of W. Two words, the low one first.
struct ProductAddresses {
    uint x[2], w[2];
};

struct FragmentsParams {
    uint n, k;      // of W
    uint w_stride;  // elements from one row of W to the next
};

// One operation of a chain (see chain.comp), on each of its rows. Addresses have two words, the low one
// first, and are those of the first row.
SACCADE_CONSTANT chain_most_rows = 4;
SACCADE_CONSTANT link_product = 0;     // y = activation(x W^T + b), or y += x W^T + b
SACCADE_CONSTANT link_attention = 1;   // y = softmax(scale q k^T) v of one query, head by head
SACCADE_CONSTANT link_norm = 2;        // y = LN(x), or RMSNorm(x)
SACCADE_CONSTANT link_embedding = 3;   // y = table[id] + position
SACCADE_CONSTANT link_pick_part = 4;   // y = the best of the part of x that a workgroup has
SACCADE_CONSTANT link_pick_merge = 5;  // y, b = the best of these; see pick.merge
SACCADE_CONSTANT pick_words = 4;       // that a workgroup leaves of its part
// What a product is of: x as it is in f16, or one of its norms in f32.
SACCADE_CONSTANT link_plain = 0;
SACCADE_CONSTANT link_layer_norm = 1;
SACCADE_CONSTANT link_rms_norm = 2;
// What becomes of two columns of a product that belong together.
SACCADE_CONSTANT link_turned = 1;  // both, turned by the angle of their position
SACCADE_CONSTANT link_gated = 2;   // activation(first) * second
// What a chain's kernel is built for, and nothing else: a bit for each kind of its links, 1 << kind,
// and these for what only some models' links have.
SACCADE_CONSTANT chain_layer_norms = 1 << 16;
SACCADE_CONSTANT chain_rms_norms = 1 << 17;
SACCADE_CONSTANT chain_pairs = 1 << 18;         // columns of a product that belong together
SACCADE_CONSTANT chain_shared_heads = 1 << 19;  // of k and v, by several of q
struct LinkParams {
    uint kind;
    uint waits;       // 1: what came before must have finished
    uint arrives;     // 1: what comes next waits for this
    uint x[2], y[2];  // row of x (or q), of y
    uint w[2], b[2];  // of the matrix and the bias; k and v; table and position; what is said of y
    uint gain[2], shift[2];  // of a norm
    uint turns[2];            // cosines of this position, then sines
    uint x_row, y_row;        // elements from one row of x (or q), of y to the next
    uint w_row, b_row;        // from keys and values to the next; of what is said of y
    uint together;            // rows of q that see the same keys and values
    uint n, k;                // columns of y and x; keys and columns of a head
    uint w_stride, b_stride;  // elements from one row to the next
    uint heads;
    uint sharing;    // heads of q in a row that share one of k and v
    uint activated;  // 1: the chain's activation follows
    uint norm;       // link_plain, link_layer_norm or link_rms_norm
    uint pairing;    // 0, link_turned or link_gated
    uint paired;     // columns that have another; the first ones
    uint apart;      // columns from one to the other
    uint bias, half_out, accumulate;
    float number;  // eps, or the scale
};
struct ChainParams {
    uint links;
    uint patience;  // how often a workgroup looks whether the others have come
};

struct Conv2dParams {
    View x, y, residual;
    uint height, width;          // of x
    uint out_height, out_width;  // of y
    uint kernel_height, kernel_width, stride, padding, dilation;
    uint channels, n;            // of x, of y
    uint w_stride;               // elements from one row of W to the next
    float gain, shift;           // of the activation's result
};
// What is added to a convolution: nothing, something before its activation, something after it.
SACCADE_CONSTANT residual_none = 0;
SACCADE_CONSTANT residual_before = 1;
SACCADE_CONSTANT residual_after = 2;

struct MaxPoolParams {
    View x, y;
    uint height, width, out_height, out_width;
    uint kernel, stride, padding;
    uint zeros_after;  // columns and rows of zeros that follow the picture
    uint channels;
};

struct LayerNormParams {
    View x, y;
    uint rows, columns;
    float eps;
};

struct NormActivateParams {
    View x, y;
    uint columns;
    float eps, next_eps;
};

struct PostNormParams {
    View x, y, at, positions;
    uint rows, columns;
    float eps;
};

struct AttentionParams {
    View q, k, v, y;
    uint queries, keys;  // of one batch
    float scale;
    uint causal_offset;  // query i sees keys 0 .. i + causal_offset where CAUSAL is set
    uint sharing;        // heads of q in a row that share one of k and v
};

// Where the memory of k and v begins: two words each, the low one first.
struct AttentionAddresses {
    uint k[2], v[2];
};

struct AttentionMapParams {
    View q, k, map;
    uint first_row, rows, keys;
    uint first_head;  // the map has heads * rows rows in each batch
    float scale;
    uint sharing;  // heads of q in a row that share one of k
};

// y[j] = keep y[j] + scale sum_h sum_r weights[first_row + r] map[h * rows + r][j]
struct RowSumParams {
    View map, weights, y;
    uint heads, rows, columns, first_row;
    float keep, scale;
};

// y = activation(x[.. columns]) * x[second ..]
struct GateParams {
    View x, y;
    uint rows, columns;
    uint second;  // the column where what is let through begins
};

// y = the mean of the rows of x
struct MeanRowsParams {
    View x, y;
    uint rows, columns;
};

// Turns heads by the angles of their row, in place.
struct RotateHeadsParams {
    View x, turns;
    uint rows, heads;
};

// Windows on a map of cells: see windows.glsl.
struct WindowParams {
    uint width, height;  // of the map
    uint across, down;   // windows
    uint shift;
    uint bias_stride;    // elements from the bias of one head to that of the next
    float mask;          // added to the score of cells that should not see each other
};
struct WindowAttentionParams {
    View q, k, v, y;
    WindowParams windows;
    float scale;
};
struct WindowMapParams {
    View q, k, map;
    WindowParams windows;
    float scale;
    uint first_head, window, cell;  // windows of all batches are counted together
};

// Cells of a map pooled and normalised, head by head.
struct PoolHeadsParams {
    View x, y;
    uint first;            // rows before the map
    uint width, height;    // of x
    uint out_width;
    uint stride, padding;
    uint size;             // columns of a head that are in use
    uint w_stride;         // elements from one row of w to the next
    float eps;
};

// Queries and keys on maps of their own, after `first` rows that lie on none.
struct GridParams {
    uint first;
    uint key_height, key_width;
};
struct RelativeScoresParams {
    View q, y;
    uint first, width;           // rows before the map of queries, and its width
    uint key_height, key_width;
    uint heads;
    uint table_stride;           // elements from one row of a table to the next
};
struct RelativeAttentionParams {
    View q, k, v, scores, y;
    GridParams grid;
    uint queries, keys;
    float scale;
};
struct RelativeMapParams {
    View q, k, scores, map;
    GridParams grid;
    uint first_row, rows, keys, first_head;
    float scale;
};

// z += LN(x), y = z
struct NormAddParams {
    View x, z, y;
    uint rows, columns;
    float eps;
};

struct MergePatchesParams {
    View x, y;
    uint width, height;  // of x
    uint out_width;
    uint columns;
};

struct AddParams {
    View a, b, y;
    uint rows, columns;
};

struct EmbeddingParams {
    View ids, table, positions, y;
    uint rows, columns;
    uint first_id, bound_ids, all_ids;  // the part of the table that is bound, and the whole
};

struct SoftmaxParams {
    View x, y;
    uint rows, columns;
};

struct TopkParams {
    View x, values, columns_found, names;
    uint rows, columns, k;
};

// Which of the candidates of a picture's beams are its beams from now on.
SACCADE_CONSTANT most_candidates = 512;  // of a picture
struct ChooseBeamsParams {
    View values, words, less;  // of the candidates, a batch a beam
    View before, after;        // ids of the beams, (ids, 1) in each batch
    uint beams;                // of a picture
    uint running;              // of these, those that there are so far
    uint candidates;           // of each
    uint ranked;               // of all of them together, those that count
    uint said;                 // ids so far
    uint first;                // 1: nothing has been chosen before
    uint vocabulary;
    uint stops;                // ids that end a sentence
};

// The best of each row: first of slices of it, then of the slices.
struct PickPartParams {
    View x, parts;
    uint columns;
};
struct PickMergeParams {
    View parts, columns, about;
    uint slices;
};

struct RestrainParams {
    View scores, ids, less;
    uint columns, said;         // words to choose from, and ids so far
    uint banned, banned_count;  // where the banned ids begin, and how many there are
    uint run;                   // of words that may not come twice; 0: any may
    uint forced;                // the only word that may come; past the columns: none
    uint use_less;
    float penalty;
};

struct GatherParams {
    View x, y;
    uint from;  // where the numbers of batches begin
    uint batches, columns;
};

struct DetectionsParams {
    View logits, boxes, y;
    uint columns;         // of logits
    uint classes;         // the first columns; the others are never found
    float width, height;  // of the picture, in pixels
};

// The mean of windows of 2 x 2 pixels, of what lies in the picture.
struct AvgPoolParams {
    View x, y;
    uint height, width, out_height, out_width;
    uint channels;
};

// A convolution of each channel by itself.
struct DepthwiseParams {
    View x, y;
    uint height, width, out_height, out_width;
    uint stride, padding;
    uint channels;
    uint w_stride;  // elements from one tap to the next
    float gain, shift;
};

// y[oy][ox] = x[oy / factor][ox / factor]
struct UpsampleParams {
    View x, y;
    uint width, out_width;
    uint factor;
    uint channels;
};

struct RowMaxParams {
    View x, y;
    uint rows, columns;
};

// The k best of all elements of a batch.
SACCADE_CONSTANT select_counters = 4;  // threads that count for one element, where there are few
struct SelectParams {
    View x, values, picks;
    uint rows, columns, k;
};

// y[i] = x[from[i]], rows of the same batch.
struct GatherRowsParams {
    View x, from, y;
    uint rows, columns;  // of x
};

// y[rows[i]] = value
struct SetRowsParams {
    View y;
    uint rows, value;  // where the list and the value begin
    uint columns;
};

// boxes = sigmoid(deltas + reference), the reference's logits looked up or worked out
struct RefineBoxesParams {
    View deltas, reference, from, boxes, copy;
    uint count;
};

// boxes = reference moved by deltas, and perhaps by others once more
struct ScaleBoxesParams {
    View deltas, reference, from, again, boxes, copy, y;
    uint count;
    uint numbers;  // of y, for each of a box's four
};

// Deformable attention over up to eight maps that lie one after the other.
SACCADE_CONSTANT most_levels = 8;
struct DeformableParams {
    View values, offsets, weights, boxes, y;
    uint level_sizes[8];  // width | height << 16
    uint level_points[2];  // of one head, eight bits each
    uint head, columns;   // of one head of the values, and of all
    uint points;          // of one head, on all levels
    float scale;          // of offsets, in parts of a box that all points of a level share
};

// Where the points of deformable attention lie, and what they weigh.
struct SamplingPointsParams {
    View offsets, weights, boxes, places, shares;
    uint level_points[2];
    uint points, heads, levels;
    float scale;
};

// Maps of where the points of some queries and heads lie.
struct SplatParams {
    View places, shares, maps;
    uint level_sizes[8];   // width | height << 16
    uint level_points[2];  // of one head, eight bits each
    uint points, levels;
    uint width, height;    // of the maps
    uint first_row, rows, first_head;
};

struct BestQueriesParams {
    View found, list;
    uint rows, count;
};

// Attention whose softmax goes over all heads.
struct JointAttentionParams {
    View q, k, y;
    uint keys, heads, head;  // head: columns of one
    float scale;
};

struct GroupNormParams {
    View x, y, statistics;
    uint rows, channels, groups;
    float eps;
};

struct AddEnlargedParams {
    View x, small, y;
    uint width, height, small_width, small_height;
    uint channels;
};

// Distributions over the edges of boxes: bins + 1 logits for each of the four.
struct EdgeBoxesParams {
    View corners, reference, boxes, copy, statistics;
    uint queries, bins;  // numbers of one edge
    uint best;           // of an edge's probabilities that are told
    float scale;         // how many steps of the weights a side is long
};

// x = gates[:n] x + gates[n:] other
struct GatedAddParams {
    View x, other, gates;
    uint columns;
    uint second;  // column of the gates that the second half begins at
};

// x[i][j] += column[i]
struct AddColumnParams {
    View x, column;
    uint columns;
};

// The detections that were selected among all scores of all queries.
struct PickedDetectionsParams {
    View values, picks, boxes, y;
    uint classes, count;
    float width, height;  // of the picture, in pixels
};

// How the elements of `copy`'s source are stored; a checkpoint may hold any of these.
SACCADE_CONSTANT stored_f32 = 0;
SACCADE_CONSTANT stored_f16 = 1;
SACCADE_CONSTANT stored_bf16 = 2;

// y[i][j][k][l] = scale x[i][j][k][l], zero where x ends before y does.
struct CopyParams {
    uint y_offset;
    uint y_size[4], y_stride[3];  // the innermost elements of y lie side by side
    uint x_offset;
    uint x_size[4], x_stride[4];
    float scale;
};

// Packed 8-bit pixels to an image.
struct UnpackParams {
    uint width;
    uint first_row, rows;  // of the image, that the bytes hold
    uint row_bytes;
    uint bgr;  // 1: blue comes first
};

// Planes of Y, U and V to an image.
struct UnpackYuvParams {
    uint width, height;                // of the plane Y
    uint chroma_width, chroma_height;  // of the planes U and V
    uint row_words, chroma_row_words;
    uint quarter_turns;                // by which the image is turned clockwise
    float black, grey;                 // levels that stand for 0
    float luma;                        // what one level adds to each of red, green and blue
    float red_v, green_u, green_v, blue_u;
    float most_chroma;                 // the largest level that FFmpeg's filter can give
};

// An image to packed 8-bit pixels, rows of whole words.
struct PackParams {
    uint width;
    uint first_row, rows;  // of the image, that the bytes hold
    uint row_words;
    uint bgr;  // 1: blue comes first
};

// The two passes of a separable resize with Pillow's fixed-point weights of this many bits.
SACCADE_CONSTANT tap_bits = 22;
struct PreprocessHorizontalParams {
    View y;              // (height, width) RGBA pixels in words
    uint width, height;  // of what this pass writes
    uint max_taps;
};
struct PreprocessVerticalParams {
    View x, y;
    uint width, height;              // of pixel_values
    uint patch_width, patch_height;  // y has a row for each patch
    uint max_taps;
    uint filled_width, filled_height;  // what lies beyond these is 0
    float scale[3], shift[3];          // value = level * scale + shift
};

// ---- what is drawn onto a frame ----

// Colours are words of four bytes, red in the lowest, alpha in the highest.

// A letter at its place in a text. Pairs of 16 bits, x in the lower half.
struct Glyph {
    uint place;   // from the text's upper left corner, signed
    uint source;  // in the atlas
    uint size;
    uint ink;     // 0: the plate's
};

// A text that has been laid out: `count` glyphs from `first` on.
struct Run {
    uint first, count;
    uint width;   // pixels
    uint colour;  // of the class that it names
};

// A rectangle with round corners, filled, framed inside its edges, with a text that ends where the
// rectangle does. What has no alpha is not drawn.
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
    uint plate;        // alpha of what lies behind text, 0 .. 255
};

// Lies in mapped memory, so that it can change from frame to frame, in front of a word for each
// class: 0 hides it.
struct BoxSettings {
    float threshold;
    uint most;
    uint selected;  // this query's box stands out; no_query: none does
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
    uint rows, columns;            // cells of a map
    uint picture_width;
    float left, top;               // of the first cell, in pixels of the picture
    float cell_width, cell_height;
    uint tiles_across, tiles_top;  // how many are side by side, and where the first row of them begins
    uint pitch_x, pitch_y;         // from one tile to the next
};

// Three maps as red, green and blue over an image.
struct DrawColoursParams {
    View maps;
    uint rows, columns;  // cells of a map
    uint width, height;  // of the image
    float left, top;     // of the first cell, in pixels
    float cell_width, cell_height;
};

// ---- what is shown in a window ----

// A picture fitted into a screen.
struct LetterboxParams {
    uint width, height;                  // of the screen
    uint picture_width, picture_height;
    int left, top;                       // where the picture lies on the screen
    uint placed_width, placed_height;
    float step_x, step_y;                // picture pixels to a screen pixel
};

// Triangles over an image, tile by tile. A triangle is this many words: for each corner x and y in
// pixels; 1 / (twice the area); for each corner u and v in texels; for each corner its colour; left |
// top << 16 and right | bottom << 16 of what may be drawn on; and flags.
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

// An image to planes of luma and colour, rows of whole words. Weights have this many bits behind
// the point, in two's complement.
SACCADE_CONSTANT yuv_bits = 16;
struct YuvSum {
    uint offset;
    uint red, green, blue;
};
struct PackYuvParams {
    YuvSum y, u, v;
    uint width, height;    // of the image
    uint first_row, rows;  // of the image, that the planes hold
    uint luma_row_words, chroma_row_words;
};

// ---- features of patches ----

// x is (tokens, columns), of which those from `first` on are the cells of a map, row after row.
struct CosinesParams {
    View x, y;
    uint row;  // of x, that the others are compared with
    uint first, columns;
    uint width;  // of the map
};

struct PrincipalParams {
    View x, mean, basis, maps;
    uint first, columns;
    uint rows, width;  // of a map
};
struct PrincipalUnitParams {
    View turned, basis;
    uint columns;
};

struct QuantilesParams {
    View maps, ranges;
    uint rows, columns;  // of a map
    float part;          // of the cells that lies below the range, and above it
    float keep;          // of the range as it was
};

struct FitRangeParams {
    View maps, ranges;
    uint rows, columns;  // of a map
    float factor;        // of the range's upper end, which nothing exceeds
};

// ---- gpu/language ----

struct UnitRowsParams {
    View x, y;
    uint columns;
    float eps, scale;
};

struct RmsNormParams {
    View x, y;
    uint columns;
    float eps;
};

struct MultiplyParams {
    View a, b, y;
    uint columns;
};

struct RotateParams {
    View x, table;
    uint heads, head, stride;  // columns of a head, and from one head to the next
};

// y = (y + gauge[0]) * (elu(gauge[1]) + 1), for each row of y
struct GaugeParams {
    View y, gauge;
    uint columns;
};

// y = keep y + scale x[index], x a row
struct TakeParams {
    View x, index, y;
    uint n, columns;  // of x, and of y
    float keep, scale;
};

// The second pass of a resize from image to image: see preprocess.horizontal.comp for the first.
struct ResizeParams {
    View x;
    uint width, height;
    uint max_taps;
};

struct MatchesParams {
    View logits, boxes, y;
    uint queries, classes;
    float width, height;
};

struct ResampleHorizontalParams {
    View y;
    uint width, height;  // of y
    uint max_taps;
};
struct ResampleVerticalParams {
    View x, y;
    uint width, height;
    uint max_taps;
    uint patch_width, patch_height;
    float scale[3], shift[3];
};

// Attention whose scores are e_i = w . tanh(k_i + q): y = gate * sum_i softmax_i(e) v_i.
struct AdditiveAttentionParams {
    View q, k, v, gate, y;
    uint keys, columns, channels;  // of k: rows and columns; columns of v
};
struct AdditiveMapParams {
    View q, k, map;
    uint first_row, keys, columns;
};

// What an LSTM makes of its four gates.
struct LstmCellParams {
    View gates, before, c, h, y;
    uint columns;
    uint gate;  // columns from one gate to the next
};

#ifdef __cplusplus
}  // namespace saccade::params
#endif
#undef SACCADE_CONSTANT
