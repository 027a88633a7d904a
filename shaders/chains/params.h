// A chain is a program of links, each an operation on one row or on a few. Every kind of link has a
// struct of its own. In the program a link takes link_words words: its kind, whether it waits and
// whether it arrives, one unused word, then its struct.
//
// The fields of a struct are listed once, for C++ and GLSL: ADDRESS is an address of two words, the
// low one first; UINT and FLOAT are one word. chain.comp reads a struct word by word in this order.
// Strides count elements.
#ifndef SACCADE_CHAINS_PARAMS
#define SACCADE_CHAINS_PARAMS
#include "shaders/common/params.h"

SACCADE_PARAMS_BEGIN

SACCADE_CONSTANT chain_most_rows = 4;
SACCADE_CONSTANT link_words = 32;
SACCADE_CONSTANT link_header_words = 4;

// The formatter does not lay out lists of fields in macros stably.
// clang-format off
#define LINK_ADDRESS(name) uint name[2];
#define LINK_UINT(name) uint name;
#define LINK_FLOAT(name) float name;

// y = activation(x W^T + b), or y += x W^T + b. x is f16, or the norm of an fp32 row.
#define PRODUCT_LINK(ADDRESS, UINT, FLOAT)                                                      \
    ADDRESS(x) ADDRESS(y)                                                                       \
    ADDRESS(w) ADDRESS(b)                                                                       \
    ADDRESS(gain) ADDRESS(shift)  /* of the norm */                                             \
    ADDRESS(angles)               /* of link_rope: cosines of the position, then sines */       \
    UINT(x_stride) UINT(y_stride) /* from one row to the next */                                \
    UINT(w_stride)                                                                              \
    UINT(n) UINT(k)               /* columns of y, of x */                                      \
    UINT(norm)                    /* norm_none, norm_layer or norm_rms */                       \
    UINT(has_bias) UINT(activated) UINT(accumulates) UINT(half_out)                             \
    UINT(pairing)                 /* pairing_none, pairing_rope or pairing_gate */              \
    UINT(paired)                  /* the first columns of y, which are in pairs */              \
    UINT(pair_distance)           /* columns from one of a pair to the other */                 \
    FLOAT(eps)
struct ProductLink {
    PRODUCT_LINK(LINK_ADDRESS, LINK_UINT, LINK_FLOAT)
};
SACCADE_CONSTANT norm_none = 0;
SACCADE_CONSTANT norm_layer = 1;
SACCADE_CONSTANT norm_rms = 2;
// How pairs of columns of a product are combined: rotary positions, or activation(a) * b.
SACCADE_CONSTANT pairing_none = 0;
SACCADE_CONSTANT pairing_rope = 1;
SACCADE_CONSTANT pairing_gate = 2;

// y = softmax(scale q k^T) v of each row of q, head by head, all f16.
#define ATTENTION_LINK(ADDRESS, UINT, FLOAT)                                                    \
    ADDRESS(q) ADDRESS(k) ADDRESS(v) ADDRESS(y)                                                 \
    UINT(q_stride) UINT(y_stride)             /* from one row to the next */                    \
    UINT(k_stride) UINT(v_stride)             /* from one key, one value to the next */         \
    UINT(k_batch_stride) UINT(v_batch_stride) /* from the keys of a batch to the next batch's */ \
    UINT(keys)                                                                                  \
    UINT(queries) /* rows of q in a batch: they see the same keys and values */                 \
    UINT(heads)                                                                                 \
    UINT(sharing) /* heads of q in a row that share one of k and v */                           \
    FLOAT(scale)
struct AttentionLink {
    ATTENTION_LINK(LINK_ADDRESS, LINK_UINT, LINK_FLOAT)
};

// y = LN(x), both f32.
#define NORM_LINK(ADDRESS, UINT, FLOAT) \
    ADDRESS(x) ADDRESS(y)               \
    ADDRESS(gain) ADDRESS(shift)        \
    UINT(x_stride) UINT(y_stride)       \
    UINT(columns)                       \
    FLOAT(eps)
struct NormLink {
    NORM_LINK(LINK_ADDRESS, LINK_UINT, LINK_FLOAT)
};

// y = table[id] + position: an f16 table, an f32 row.
#define EMBEDDING_LINK(ADDRESS, UINT, FLOAT)             \
    ADDRESS(ids) ADDRESS(table) ADDRESS(position) ADDRESS(y) \
    UINT(id_stride) UINT(table_stride) UINT(y_stride)    \
    UINT(rows) UINT(columns) /* of the table */
struct EmbeddingLink {
    EMBEDDING_LINK(LINK_ADDRESS, LINK_UINT, LINK_FLOAT)
};

// The argmax of x takes two links. In the first, a workgroup writes pick_words words about its part
// of x.
#define PICK_PART_LINK(ADDRESS, UINT, FLOAT) \
    ADDRESS(x) ADDRESS(parts)                \
    UINT(x_stride) UINT(part_stride)         \
    UINT(columns)
struct PickPartLink {
    PICK_PART_LINK(LINK_ADDRESS, LINK_UINT, LINK_FLOAT)
};
SACCADE_CONSTANT pick_words = 4;

// The second writes the column, and the three rows that pick.merge.comp writes about it.
#define PICK_MERGE_LINK(ADDRESS, UINT, FLOAT)        \
    ADDRESS(parts) ADDRESS(best) ADDRESS(about)      \
    UINT(part_stride) UINT(best_stride)              \
    UINT(about_stride) UINT(about_batch_stride)
struct PickMergeLink {
    PICK_MERGE_LINK(LINK_ADDRESS, LINK_UINT, LINK_FLOAT)
};

// Kinds of links.
SACCADE_CONSTANT link_product = 0;
SACCADE_CONSTANT link_attention = 1;
SACCADE_CONSTANT link_norm = 2;
SACCADE_CONSTANT link_embedding = 3;
SACCADE_CONSTANT link_pick_part = 4;
SACCADE_CONSTANT link_pick_merge = 5;
// A kernel is built for the links of its chain and no others: a bit for each kind, 1 << kind, and
// these bits for features that only some models' links need.
SACCADE_CONSTANT chain_layer_norms = 1 << 16;
SACCADE_CONSTANT chain_rms_norms = 1 << 17;
SACCADE_CONSTANT chain_pairs = 1 << 18;
SACCADE_CONSTANT chain_shared_heads = 1 << 19;

struct ChainParams {
    uint links;
    uint patience;  // how often a workgroup polls for the others before it gives up
};

SACCADE_PARAMS_END

#endif
