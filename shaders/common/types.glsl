// Storage types. A kernel is compiled once for each pair of types that it is used with: T is what
// its inputs and weights are stored as, OUT its result. Arithmetic is always fp32. Four elements
// are loaded and stored at once; fp16 is loaded and stored as words, which every Vulkan device
// supports.
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require

#define f32 1
#define f16 2

// Whether the device converts halves in one instruction; every pipeline gets this constant.
layout(constant_id = NATIVE_HALVES_ID) const uint NATIVE_HALVES = 0;

// Two halves of a word as fp32, exactly, subnormals too. Written out because the compiler of some
// software drivers (Mesa 22 on ARM) fails on unpackHalf2x16. Infinity does not occur: see store().
vec2 unpack_halves(uint word) {
    const uvec2 bits = uvec2(word & 0xffffu, word >> 16);
    const uvec2 magnitude = (bits & 0x7fffu) << 13;
    const vec2 normal = uintBitsToFloat(magnitude + (112u << 23));
    const vec2 subnormal = uintBitsToFloat(magnitude + (113u << 23)) - 6.103515625e-05;
    const vec2 value = mix(normal, subnormal, lessThan(magnitude, uvec2(1u << 23)));
    return uintBitsToFloat(floatBitsToUint(value) | ((bits & 0x8000u) << 16));
}

vec4 load(uvec2 v) {
    if (NATIVE_HALVES != 0) return vec4(unpackHalf2x16(v.x), unpackHalf2x16(v.y));
    return vec4(unpack_halves(v.x), unpack_halves(v.y));
}
vec4 load(vec4 v) { return v; }

#if defined(T) && T == f16
#define IN4 uvec2
#else
#define IN4 vec4
#endif

// 16 bytes of them, and one of these elements.
#if defined(T) && T == f16
#define IN_WIDE uvec4
const uint IN_WIDTH = 8;
float element(uvec4 v, uint e) { return load(uvec2(v[e / 2], 0))[e % 2]; }
#else
#define IN_WIDE vec4
const uint IN_WIDTH = 4;
float element(vec4 v, uint e) { return v[e]; }
#endif

#if defined(OUT) && OUT == f16
#define OUT4 uvec2
uvec2 store(vec4 v) {
    // The largest fp16 is 65504. Larger values are clamped to it, because infinity would soon
    // become NaN.
    const vec4 held = clamp(v, -65504.0, 65504.0);
    return uvec2(packHalf2x16(held.xy), packHalf2x16(held.zw));
}
#else
#define OUT4 vec4
vec4 store(vec4 v) { return v; }
#endif
vec4 load_out(OUT4 v) { return load(v); }

// A kernel's tensors: READ(0, X, IN4, x) declares one, load_at(x, i) is its i-th four elements, and
// store_at(y, i, v) writes them, store_f32_at those that are fp32 whatever OUT is; the same for
// words, one or four at a time. Software Vulkan reads texel buffers far faster than storage
// buffers: for it a kernel is compiled with TEXELS.
#ifdef TEXELS
#define READ(number, block, type, name) \
    layout(binding = number, rgba32f) readonly uniform imageBuffer name
#define WRITE(number, block, type, name) \
    layout(binding = number, rgba32f) writeonly uniform imageBuffer name
#define READ_WRITE(number, block, type, name) \
    layout(binding = number, rgba32f) uniform imageBuffer name
#define load_at(name, i) imageLoad(name, int(i))
#define store_at(name, i, v) imageStore(name, int(i), v)
#define store_f32_at(name, i, v) imageStore(name, int(i), v)
#define READ_WORDS(number, block, name) \
    layout(binding = number, r32ui) readonly uniform uimageBuffer name
#define READ_FOUR_WORDS(number, block, name) \
    layout(binding = number, rgba32ui) readonly uniform uimageBuffer name
#define WRITE_WORDS(number, block, name) \
    layout(binding = number, r32ui) writeonly uniform uimageBuffer name
#define word_at(name, i) imageLoad(name, int(i)).x
#define four_words_at(name, i) imageLoad(name, int(i))
#define store_word(name, i, v) imageStore(name, int(i), uvec4(v))
#else
#define READ(number, block, type, name) layout(binding = number) readonly buffer block { type name[]; }
#define WRITE(number, block, type, name) \
    layout(binding = number) writeonly buffer block { type name[]; }
#define READ_WRITE(number, block, type, name) layout(binding = number) buffer block { type name[]; }
#define load_at(name, i) load(name[i])
#define store_at(name, i, v) name[i] = store(v)
#define store_f32_at(name, i, v) name[i] = v
#define READ_WORDS(number, block, name) layout(binding = number) readonly buffer block { uint name[]; }
#define READ_FOUR_WORDS(number, block, name) \
    layout(binding = number) readonly buffer block { uvec4 name[]; }
#define WRITE_WORDS(number, block, name) \
    layout(binding = number) writeonly buffer block { uint name[]; }
#define word_at(name, i) name[i]
#define four_words_at(name, i) name[i]
#define store_word(name, i, v) name[i] = v
#endif

// The first element of a row.
uint row_start(View v, uint batch, uint row) {
    return v.offset + batch * v.batch_stride + row * v.row_stride;
}

// Rows end at multiples of eight elements; a kernel writes a row up to there.
uint padded(uint columns) { return (columns + 7) & ~7u; }

// The four columns from `column` on, with `instead` where the row has ended.
vec4 before(vec4 v, uint column, uint columns, float instead) {
    return mix(vec4(instead), v, lessThan(column + uvec4(0, 1, 2, 3), uvec4(columns)));
}
// Padding is zero.
vec4 before(vec4 v, uint column, uint columns) { return before(v, column, columns, 0.0); }

// a / b for a below 2^22. Vulkan drivers that run on a CPU are slow at integer division, or broken.
uint divide(uint a, uint b) { return uint((float(a) + 0.5) / float(b)); }
