// Storage types. A kernel is compiled once for each pair of types that it is used with: T is what
// its inputs and weights are stored as, OUT its result. Arithmetic is always fp32.
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require

#define f32 1
#define f16 2

#if defined(T) && T == f16
#define IN float16_t
#define IN4 f16vec4
#else
#define IN float
#define IN4 vec4
#endif

// fp16 ends at 65504: a larger value is stored as that, because infinity would soon be NaN.
#if defined(OUT) && OUT == f16
#define OUT1 float16_t
#define OUT4 f16vec4
#define to_out(v) f16vec4(clamp(v, -65504.0, 65504.0))
#else
#define OUT1 float
#define OUT4 vec4
#define to_out(v) (v)
#endif

// The first element of a row.
uint row_start(View v, uint batch, uint row) {
    return v.offset + batch * v.batch_stride + row * v.row_stride;
}

// Rows end at multiples of eight elements; a kernel writes a row up to there.
uint padded(uint columns) { return (columns + 7) & ~7u; }

// Keeps the columns of `v` that lie before `columns`; those after it are padding, which is zero.
vec4 before(vec4 v, uint column, uint columns) {
    return mix(vec4(0.0), v, lessThan(column + uvec4(0, 1, 2, 3), uvec4(columns)));
}

// a / b for a below 2^22. Vulkan drivers that run on a CPU are slow at integer division, or broken.
uint divide(uint a, uint b) { return uint((float(a) + 0.5) / float(b)); }
