#pragma once

#include "gpu/activation.h"
#include "gpu/core/geometry.h"
#include "gpu/core/tensor.h"
#include "gpu/recorder/commands.h"
#include "gpu/yuv.h"
#include "shaders/params.h"

// The operations that models are written in. Each is one name: a function here, a Params struct in
// shaders/params.h, a shader, and a test. Shapes are checked when an operation is recorded. Tensors
// are (batch, rows, columns); results that are returned live in scratch memory until the scope they
// were made in ends.

namespace saccade {

struct Linear {
    Tensor weight;          // (out, in)
    Tensor bias;            // (out) f32, or none
    Tensor fragments = {};  // of the weight, or none: then cooperative matrices stay unused
};

struct Norm {
    Tensor weight, bias;  // (columns) f32
    float eps = 1e-5f;
};

// y = activation(x W^T + b)
Tensor linear(Commands& c, const Tensor& x, const Linear& w,
              Activation activation = Activation::none);
void linear_into(Commands& c, const Tensor& y, const Tensor& x, const Linear& w,
                 Activation activation = Activation::none);
// y += x W^T + b
void linear_add(Commands& c, const Tensor& y, const Tensor& x, const Linear& w);

// y = activation(LN(x) W^T + b) of an fp32 stream x. Few rows are normalised on the way into the
// product, without a dispatch of their own.
Tensor norm_linear(Commands& c, const Tensor& x, const Norm& norm, const Linear& w,
                   Activation activation = Activation::none);
void norm_linear_into(Commands& c, const Tensor& y, const Tensor& x, const Norm& norm,
                      const Linear& w, Activation activation = Activation::none);

// How this device's threads hold fragments, asked once of each device.
const HeldFragments& held_fragments(Device& device);

// A weight once more, in the order in which products on cooperative matrices read it: see
// fragments.coopmat.comp. The size that takes, as (rows, columns) f16; none where the device has no
// use for it.
struct FragmentsSize {
    uint32_t rows = 0, columns = 0;
    explicit operator bool() const { return rows > 0; }
};
FragmentsSize fragments_size(Device& device, const Tensor& weight);
void fragments_into(Commands& c, const Tensor& fragments, const Tensor& weight);

// Pictures are channels-last: (batch, height * width, channels).
struct Conv2d {
    Tensor weight;  // (out, kernel height * kernel width * padded(in)), channels innermost
    Tensor bias;    // (out) f32
    uint32_t in = 0;
    Size kernel;
    uint32_t stride = 1, padding = 0, dilation = 1;
    Tensor fragments = {};       // of the weight, or none
    float gain = 1, shift = 0;   // of the activation's result

    Size out_size(Size in_size) const;
};

// y = activation(conv(x) + b)
Tensor conv2d(Commands& c, const Tensor& x, Size size, const Conv2d& w,
              Activation activation = Activation::none);
// The same into y, plus `beside` where there is one: a tensor of y's shape, or y itself.
void conv2d_into(Commands& c, const Tensor& y, const Tensor& x, Size size, const Conv2d& w,
                 Activation activation = Activation::none, const Tensor& beside = {});
// y = activation(y + conv(x) + b)
void conv2d_add(Commands& c, const Tensor& y, const Tensor& x, Size size, const Conv2d& w,
                Activation activation = Activation::none);

// The largest of each kernel x kernel window; what lies outside of the picture does not count.
struct Pool {
    uint32_t kernel = 3, stride = 2, padding = 1;
    uint32_t zeros_after = 0;  // columns and rows of zeros that do count, at the right and below
    Size out_size(Size in_size) const;
};
Tensor max_pool(Commands& c, const Tensor& x, Size size, const Pool& pool);
void max_pool_into(Commands& c, const Tensor& y, const Tensor& x, Size size, const Pool& pool);

// y = (x - mean(x)) / sqrt(var(x) + eps) * weight + bias, over each row
Tensor layer_norm(Commands& c, const Tensor& x, const Norm& w, Type out);
// The same into y, which may be x itself.
void layer_norm_into(Commands& c, const Tensor& y, const Tensor& x, const Norm& w);

// y = activation(LN(x)); if there is a next norm, y = LN(activation(LN(x)))
void norm_activate_into(Commands& c, const Tensor& y, const Tensor& x, const Norm& w,
                        Activation activation, const Norm* next = nullptr);

// x = LN(x) of an fp32 stream, in place, and what is read of it next. All of these may be none.
struct PostNorm {
    Tensor y;              // x again as products want it; x itself is not written twice
    Tensor at, positions;  // at = x + positions, (rows, columns) f32, of one batch or of each
};
void post_norm(Commands& c, const Tensor& x, const Norm& w, const PostNorm& next);

// How heads share the columns of q, k and v: `count` groups side by side, each of a multiple of 8
// columns up to 128. A model with other heads pads them with zeros, which change no product.
struct Heads {
    uint32_t count = 1;
    float scale = 1.0f;  // of q k^T
    uint32_t sharing = 1;  // grouped queries: this many heads of q share one of k and v
};

// softmax(scale q k^T) v for each head. Scores are never stored. With `causal`, query i of n sees
// keys 0 .. i + (keys - n): the last query sees all.
Tensor attention(Commands& c, const Tensor& q, const Tensor& k, const Tensor& v, const Heads& heads,
                 bool causal = false);

// The probabilities that `attention` weighs v with, for rows [first_row, first_row + rows) and
// heads [first_head, first_head + heads): map is (batch, heads * rows, keys) f32.
struct MapRange {
    uint32_t first_row = 0, rows = 1, first_head = 0, heads = 1;
};
void attention_map(Commands& c, const Tensor& map, const Tensor& q, const Tensor& k,
                   const Heads& heads, const MapRange& range);

// y = keep y + scale sum over heads h and rows r of weights[first_row + r] map[h * rows + r]
// y and weights are (1, 1, columns) and (1, 1, n) f32; map as attention_map makes it, batch 1.
struct RowSum {
    uint32_t heads = 1, first_row = 0;
    float keep = 0, scale = 1;
};
void row_sum(Commands& c, const Tensor& y, const Tensor& weights, const Tensor& map,
             const RowSum& sum);

// y = a + b; every batch of a meets the same b where that has only one.
Tensor add(Commands& c, const Tensor& a, const Tensor& b, Type out);
void add_into(Commands& c, const Tensor& y, const Tensor& a, const Tensor& b);

// Rows of `table` (ids, columns), chosen by ids (batch, 1, n) u32, plus `positions` (n, columns)
// f32: (batch, n, columns) f32.
Tensor embedding(Commands& c, const Tensor& ids, const Tensor& table, const Tensor& positions);

// Over each row, in f32.
Tensor softmax(Commands& c, const Tensor& x);

// The k largest of each row, largest first, equal ones by column: values f32, columns u32.
struct Top {
    Tensor values, columns;  // (batch, rows, k)
};
Top topk(Commands& c, const Tensor& x, uint32_t k);
void topk_into(Commands& c, const Top& top, const Tensor& x);

// The column of each row's largest, the first of equal ones, and two logarithms: of its softmax,
// and of the sum of all exponentials. x is (batch, 1, columns) f32, best (batch, 1, 1) u32, about
// (batch, 3, 1) f32: the logarithms and, for who reads nothing else, the column again.
void pick(Commands& c, const Tensor& best, const Tensor& about, const Tensor& x);

// What may not be said next. scores are (batch, 1, words) f32, changed in place; ids (batch,
// n, 1) u32 is what has been said.
struct Restraint {
    float penalty = 1.0f;          // of words that have been said
    uint32_t run = 0;              // no sequence of this many words occurs twice; 0: any may
    Tensor banned = {};            // (1, 1, n) u32: words that may not come, or none
    uint32_t forced = UINT32_MAX;  // the only word that may come
    Tensor less = {};              // (batch, 1, 1) f32: taken off a score before it is weighed
};
void restrain(Commands& c, const Tensor& scores, const Tensor& ids, const Restraint& restraint);

// A step of beam search, for each of several pictures: which candidates of its beams go on, as its beams
// from now on. Each picture's beams lie one after the other, `all` of them together. Only of devices
// whose kernels have fp64: Features::float64.
struct BeamStep {
    Top candidates;        // (all, 1, k): the best next ids of each beam, and their scores
    Tensor less;           // (all, 1, 1) f32: what makes log-probabilities of these
    Tensor stops;          // (1, 1, n) u32: ids that end a sentence, or none
    Tensor before, after;  // (all, said or more, 1) u32: the ids of each beam, and with one more
    Tensor parents;        // (1, 1, all) u32: the beam that each continues
    Tensor sums;           // (1, 1, 2 * all) u32: fp64 sums of log-probabilities, changed in place
    uint32_t beams = 1;    // of a picture
    uint32_t ranked = 1;   // as many of a picture's best candidates count
    uint32_t said = 1;     // ids so far
    uint32_t vocabulary = 0;
    bool first = false;  // only each picture's first beam is there, and its sum is zero
};
void choose_beams(Commands& c, const BeamStep& step);
constexpr uint32_t most_beam_candidates = params::most_candidates;  // of a picture

// y[i] = x[from[i]]: batches of x, chosen by from (1, 1, batches of y) u32.
void gather(Commands& c, const Tensor& y, const Tensor& x, const Tensor& from);

// What each query of a detector found, by a softmax over its logits: y is (batch, queries, 7) f32,
// a row is left, top, right, bottom in pixels of the picture, score, class and query. logits are
// (batch, queries, columns), of which the first `classes` can be found; boxes (batch, queries, 4)
// are centre x, centre y, width, height in parts of the picture; all f32.
void detections_into(Commands& c, const Tensor& y, const Tensor& logits, const Tensor& boxes,
                     uint32_t classes, Size picture);

// Copies with any change of type between f32 and f16; where `from` has one batch, into every one.
void copy(Commands& c, const Tensor& to, const Tensor& from);

// The same for up to four dimensions and any strides: y[i][j][k][l] = scale x[i][j][k][l], zero
// where x ends before y does. This is how checkpoint tensors become ours: x is raw bytes as a file
// stores them, in an upload buffer.
enum class Stored : uint32_t {
    f32 = params::stored_f32,
    f16 = params::stored_f16,
    bf16 = params::stored_bf16,
};
struct Layout {
    uint32_t size[4] = {1, 1, 1, 1};
    uint32_t stride[4] = {0, 0, 0, 1};  // elements
    uint32_t offset = 0;
};
void copy_strided(Commands& c, const Tensor& to, const Layout& y, const Tensor& from, Stored stored,
                  const Layout& x, float scale = 1.0f);

// Packed 8-bit RGB or BGR pixels in a buffer, as cameras and decoders give them, to some rows of an
// image.
struct Pixels {
    Tensor bytes;  // u32 words
    uint32_t row_bytes = 0;
    uint32_t first_row = 0, rows = 0;
    bool bgr = false;
};
void unpack(Commands& c, const Image& image, const Pixels& pixels);
// The planes of a video's picture to the whole image, turned clockwise by some right angles. The
// colours are FFmpeg's to within one level; see shaders/unpack_yuv.comp.
struct YuvPlanes {
    Tensor y, u, v;                                // u32 words
    uint32_t width = 0, height = 0;                // of y
    uint32_t row_bytes = 0, chroma_row_bytes = 0;  // multiples of 4
    YuvFormat format;
    uint32_t quarter_turns = 0;
};
void unpack_yuv(Commands& c, const Image& image, const YuvPlanes& planes);
// The way back: some rows of an image to packed pixels, whose rows are whole words long.
void pack(Commands& c, const Pixels& pixels, const Image& image);

// One direction of a separable resize: output i is the sum of `count[i]` source samples from
// `first[i]` on, in fixed point with 22 bits, as Pillow does it.
struct ResizeTaps {
    Tensor windows;  // (size) pairs first, count: u32
    Tensor weights;  // (size, max_taps) u32, two's complement
    uint32_t size = 0, max_taps = 0;
};
// What a model's preprocessor does to a picture, ready for the device.
struct Preprocess {
    ResizeTaps horizontal, vertical;
    float scale[3] = {1, 1, 1}, shift[3] = {0, 0, 0};  // value = level * scale + shift
    uint32_t patch_width = 1, patch_height = 1;
    bool exact = false;  // nothing is rounded to levels of 8 bits on the way
    Size filled{UINT32_MAX, UINT32_MAX};  // what lies beyond is 0, whatever the taps say
};
// pixel_values, cut into patches: row (i, j) of y is the patch at (i, j), its columns are
// (channel, row, column). A patch of 1 x 1 makes a channels-last picture.
void preprocess(Commands& c, const Tensor& y, const Image& image, const Preprocess& how);

// Where a picture lies on a screen.
struct Placement {
    int left = 0, top = 0;
    uint32_t width = 0, height = 0;
    bool operator==(const Placement&) const = default;
};
// As large as fits into (0, 0, width, height), in the middle, its proportions kept.
Placement fitted(Size picture, Size screen);
// The picture there, smoothly enlarged or averaged over what each pixel covers, and black around.
void letterbox(Commands& c, const Image& screen, const Image& picture, const Placement& place);

// Triangles in the order they were given, laid over an image by their alpha: what a user interface
// is made of. TriangleList makes these.
struct Triangles {
    Tensor tiles;   // (tiles) pairs first, count of `list`: u32, one for each 16 x 16 pixels
    Tensor list;    // (n) which triangles, in order: u32
    Tensor shapes;  // (n, triangle_words) u32, see shaders/params.h
    Tensor atlas;   // (rows, columns) bytes of coverage in u32 words, rows without padding
    Size atlas_size;
};
void triangles(Commands& c, const Image& image, const Triangles& what);

}  // namespace saccade
