#version 460
// Runs a chain: operations on one row, or on a row of each of a few batches, one after the other in
// one dispatch. Decoding a token consists of such operations. Weights are read once for all rows.
// Between two dispatches a device drains and fills again, which takes longer than such an
// operation; here the workgroups stay, and meet where a link reads what another link has written
// (meeting.glsl). Before it waits, a workgroup loads everything that no other link writes.
//
// Weights f16; rows that are normalised, or that products add to, f32; other rows f16. params.h has
// the links.
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#include "shaders/chains/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint THREADS = 256;
layout(constant_id = 1) const uint HEAD8 = 8;  // eights of a head of attention
layout(constant_id = 2) const uint ACTIVATION = 0;
layout(constant_id = 3) const uint USES = 0;      // parts of the kernel that the links need
layout(constant_id = 4) const uint ROWS = 1;      // of every link
layout(constant_id = 5) const uint EIGHTS = 512;  // of the longest row that a product reads

layout(binding = 0) readonly buffer Program { uvec4 links[]; };  // link_words words each
layout(binding = 1) coherent volatile buffer Meeting { uint arrived, left; } meeting;
layout(binding = 2) coherent volatile buffer Stuck { uint stuck; };
layout(push_constant) uniform Push { ChainParams p; };

#define MEMORY(align) layout(buffer_reference, std430, buffer_reference_align = align)
MEMORY(16) readonly buffer Weights { uvec4 at[]; };
MEMORY(16) readonly buffer Numbers { vec4 at[]; };
MEMORY(4) readonly buffer Bias { float at[]; };
// Rows that other workgroups write.
MEMORY(16) coherent buffer Floats { vec4 at[]; };
MEMORY(16) coherent buffer Halves { uvec4 at[]; };
MEMORY(8) coherent buffer Pairs { uvec2 at[]; };
MEMORY(4) coherent buffer Words { uint at[]; };
MEMORY(4) coherent buffer Singles { float at[]; };

const uint LINKS_AT_ONCE = 32;  // in shared memory
const uint LINK_FOURS = link_words / 4;
const uint EIGHTS_EACH = (EIGHTS + THREADS - 1) / THREADS;  // of a row of x, for each thread
const uint GROUPS = THREADS / HEAD8;  // of threads in attention, each with a share of the values
const uint VALUES = (THREADS + GROUPS - 1) / GROUPS;

const bool PRODUCTS = (USES & (1u << link_product)) != 0;
const bool ATTENTION = (USES & (1u << link_attention)) != 0;
const bool NORMS = (USES & (1u << link_norm)) != 0;
const bool EMBEDDINGS = (USES & (1u << link_embedding)) != 0;
const bool PICKS = (USES & (1u << link_pick_part | 1u << link_pick_merge)) != 0;
const bool LAYER_NORMS = (USES & chain_layer_norms) != 0;
const bool RMS_NORMS = (USES & chain_rms_norms) != 0;
const bool PAIRS = (USES & chain_pairs) != 0;
const bool SHARED_HEADS = (USES & chain_shared_heads) != 0;

#include "shaders/common/activation.glsl"
#include "shaders/common/best.glsl"
#include "shaders/common/reduce.glsl"

shared uvec4 program[LINKS_AT_ONCE * LINK_FOURS];
// Rows of x in fp16. In attention: partial sums in fp32, two fours of each thread, then the query,
// the last key and the last value.
shared uvec4 row[ROWS * EIGHTS + 4 * HEAD8];
shared vec4 parts[THREADS];  // partial sums of subgroups
shared float weight[THREADS], last_weight;

uint me;
#include "shaders/chains/meeting.glsl"

struct Eight {
    vec4 low, high;
};
Eight unpacked(uvec4 v) { return Eight(load(v.xy), load(v.zw)); }
uint packed(vec2 v) { return packHalf2x16(clamp(v, -65504.0, 65504.0)); }
uvec2 address(uint words[2]) { return uvec2(words[0], words[1]); }

// ---- the program ----

uint link_at;  // of the current link, in `program`
uint link_word(uint i) {
    const uvec4 four = program[link_at + i / 4];
    return four[i % 4];
}
// After this, a link may read what the links before it wrote.
void await_inputs() {
    if (link_word(1) != 0) await();
}

#define READ_ADDRESS(name) l.name[0] = link_word(i++); l.name[1] = link_word(i++);
#define READ_UINT(name) l.name = link_word(i++);
#define READ_FLOAT(name) l.name = uintBitsToFloat(link_word(i++));
#define READ_LINK(Link, FIELDS)                 \
    Link l;                                     \
    uint i = link_header_words;                 \
    FIELDS(READ_ADDRESS, READ_UINT, READ_FLOAT) \
    return l;
ProductLink product_link() { READ_LINK(ProductLink, PRODUCT_LINK) }
AttentionLink attention_link() { READ_LINK(AttentionLink, ATTENTION_LINK) }
NormLink norm_link() { READ_LINK(NormLink, NORM_LINK) }
EmbeddingLink embedding_link() { READ_LINK(EmbeddingLink, EMBEDDING_LINK) }
PickPartLink pick_part_link() { READ_LINK(PickPartLink, PICK_PART_LINK) }
PickMergeLink pick_merge_link() { READ_LINK(PickMergeLink, PICK_MERGE_LINK) }

// ---- norms, by the whole workgroup: LN(x) = (x - mean) / sqrt(variance + eps) * gain + shift,
//      and RMSNorm(x) = x / sqrt(mean(x^2) + eps) * gain. A thread has eight elements a row. ----

struct RowNorm {
    uint kind;  // norm_none, norm_layer or norm_rms
    uvec2 x, gain, shift;
    uint x_stride, columns;
    float eps;
};
bool centred(RowNorm n) { return LAYER_NORMS && (!RMS_NORMS || n.kind == norm_layer); }

struct Affine {
    Eight gain, shift;
};
Affine load_affine(RowNorm n) {
    const uint at = 2 * min(me, n.columns / 8 - 1);
    Numbers gains = Numbers(n.gain), shifts = Numbers(n.shift);
    const bool gained = (LAYER_NORMS || RMS_NORMS) && n.kind != norm_none;
    const bool shifted = gained && centred(n);
    Affine a;
    a.gain.low = gained ? gains.at[at] : vec4(0.0);
    a.gain.high = gained ? gains.at[at + 1] : vec4(0.0);
    a.shift.low = shifted ? shifts.at[at] : vec4(0.0);
    a.shift.high = shifted ? shifts.at[at + 1] : vec4(0.0);
    return a;
}

// The variance is taken about the first element, not about zero: less cancels where the mean is
// large.
void normalize(RowNorm n, Affine a, out Eight v[ROWS]) {
    Floats x = Floats(n.x);
    const bool mine = 8 * me < n.columns;
    const uint at = mine ? 2 * me : 0;
    float first[ROWS];
    [[unroll]] for (uint r = 0; r < ROWS; ++r) {
        const uint start = r * (n.x_stride / 4);
        v[r] = Eight(x.at[start + at], x.at[start + at + 1]);
        first[r] = centred(n) ? x.at[start].x : 0.0;
    }
    [[unroll]] for (uint r = 0; r < ROWS; ++r) {
        v[r].low = mine ? v[r].low - first[r] : vec4(0.0);
        v[r].high = mine ? v[r].high - first[r] : vec4(0.0);
        const vec4 both = v[r].low + v[r].high;
        const vec4 squares = v[r].low * v[r].low + v[r].high * v[r].high;
        const vec2 sums = subgroupAdd(vec2(dot(both, vec4(1.0)), dot(squares, vec4(1.0))));
        if (subgroupElect()) parts[ROWS * gl_SubgroupID + r].xy = sums;
    }
    barrier();
    [[unroll]] for (uint r = 0; r < ROWS; ++r) {
        vec2 all = vec2(0.0);
        for (uint i = 0; i < gl_NumSubgroups; ++i) all += parts[ROWS * i + r].xy;
        all /= float(n.columns);
        if (!centred(n)) all.x = 0.0;
        const float scale = inversesqrt(max(all.y - all.x * all.x, 0.0) + n.eps);
        v[r].low = (v[r].low - all.x) * scale * a.gain.low + a.shift.low;
        v[r].high = (v[r].high - all.x) * scale * a.gain.high + a.shift.high;
    }
}

void run_norm() {
    const NormLink l = norm_link();
    const RowNorm n = RowNorm(norm_layer, address(l.x), address(l.gain), address(l.shift),
                              l.x_stride, l.columns, l.eps);
    const Affine a = load_affine(n);
    await_inputs();
    if (gl_WorkGroupID.x != 0) return;
    Eight v[ROWS];
    normalize(n, a, v);
    if (8 * me >= l.columns) return;
    [[unroll]] for (uint r = 0; r < ROWS; ++r) {
        Floats(address(l.y)).at[r * (l.y_stride / 4) + 2 * me] = v[r].low;
        Floats(address(l.y)).at[r * (l.y_stride / 4) + 2 * me + 1] = v[r].high;
    }
}

void run_embedding() {
    const EmbeddingLink l = embedding_link();
    await_inputs();
    Numbers position = Numbers(address(l.position));
    for (uint r = gl_WorkGroupID.x; r < ROWS; r += gl_NumWorkGroups.x) {
        const uint id = min(Words(address(l.ids)).at[r * l.id_stride], l.rows - 1);
        for (uint i = me; i < padded(l.columns) / 8; i += THREADS) {
            const Eight v = unpacked(Weights(address(l.table)).at[id * (l.table_stride / 8) + i]);
            const uint at = r * (l.y_stride / 4) + 2 * i;
            Floats(address(l.y)).at[at] = v.low + position.at[2 * i];
            Floats(address(l.y)).at[at + 1] = v.high + position.at[2 * i + 1];
        }
    }
}

#include "shaders/chains/link_product.glsl"
#include "shaders/chains/link_attention.glsl"
#include "shaders/chains/link_pick.glsl"

void put_links(uint first) {
    const uint count = LINK_FOURS * min(LINKS_AT_ONCE, p.links - first);
    for (uint at = me; at < count; at += THREADS) program[at] = links[LINK_FOURS * first + at];
    barrier();
}

void main() {
    me = gl_LocalInvocationID.x;
    patience = p.patience;
    for (uint i = 0; i < p.links; ++i) {
        const uint slot = i & (LINKS_AT_ONCE - 1);
        if (slot == 0) put_links(i);
        link_at = LINK_FOURS * slot;
        const uint kind = link_word(0);
        const bool arrives = link_word(2) != 0;
        if (PRODUCTS && kind == link_product) run_product();
        if (ATTENTION && kind == link_attention) run_attention();
        if (NORMS && kind == link_norm) run_norm();
        if (EMBEDDINGS && kind == link_embedding) run_embedding();
        if (PICKS && kind == link_pick_part) run_pick_part();
        if (PICKS && kind == link_pick_merge) run_pick_merge();
        workgroup_barrier();  // all threads have read this link and `row`
        if (arrives) arrive();
    }
    leave();
}
