#ifndef SACCADE_CHAINS_PARAMS
#define SACCADE_CHAINS_PARAMS
#include "shaders/common/params.h"

SACCADE_PARAMS_BEGIN

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

SACCADE_PARAMS_END

#endif
