#ifndef SACCADE_ATTENTION_PARAMS
#define SACCADE_ATTENTION_PARAMS
#include "shaders/common/params.h"

SACCADE_PARAMS_BEGIN

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

// Attention whose softmax goes over all heads.
struct JointAttentionParams {
    View q, k, y;
    uint keys, heads, head;  // head: columns of one
    float scale;
};

struct RopeParams {
    View x, table;
    uint heads, head;  // head: columns of one
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

SACCADE_PARAMS_END

#endif
