// The layer norm of a row of x by one workgroup: (x - mean) / sqrt(variance + eps) * weight + bias, over
// its columns. A thread has every THREADS-th four of them. ROUNDS is how many those are: it loads
// them, and the weights, into registers once. Where ROUNDS is 0, it loads them whenever they are
// needed, which is faster on software Vulkan. The including kernel has included reduce.glsl and
// declared ROUNDS, x, weight and bias.
const uint HELD = ROUNDS > 0 ? ROUNDS : 1;
struct RowNorm {
    uint x_at;  // where the row begins, in fours
    uint columns;
    float mean, scale;
};
vec4 held_x[HELD], held_weight[HELD], held_bias[HELD];

// This thread's i-th four of `fours`, which is j.
#define ROUNDS_OVER(fours, i, j)                                                                 \
    [[unroll]] for (uint i = 0, j = gl_LocalInvocationID.x; ROUNDS > 0 ? i < ROUNDS : j < fours; \
                    ++i, j += THREADS) if (j < fours)

vec4 four_of(RowNorm norm, uint i, uint j) {
    return ROUNDS > 0 ? held_x[i] : load_at(x, norm.x_at + j);
}

// Mean and scale of the row that the threads hold, or load.
RowNorm measured(RowNorm norm, float eps) {
    const uint columns = norm.columns, columns4 = (columns + 3) / 4;
    vec4 sum = vec4(0.0);
    ROUNDS_OVER(columns4, i, j) sum += four_of(norm, i, j);  // padding is zero
    norm.mean = workgroup_sum(dot(sum, vec4(1.0))) / float(columns);

    vec4 squares = vec4(0.0);
    ROUNDS_OVER(columns4, i, j) {
        const vec4 d = before(four_of(norm, i, j) - norm.mean, 4 * j, columns);
        squares += d * d;
    }
    const float variance = workgroup_sum(dot(squares, vec4(1.0))) / float(columns);
    norm.scale = 1.0 / sqrt(variance + eps);
    return norm;
}

RowNorm norm_of_row(uint x_at, uint columns, float eps) {
    const uint columns4 = (columns + 3) / 4;
    RowNorm norm;
    norm.x_at = x_at;
    norm.columns = columns;
    if (ROUNDS > 0)
        [[unroll]] for (uint i = 0; i < ROUNDS; ++i) {
            const uint j = min(gl_LocalInvocationID.x + i * THREADS, columns4 - 1);
            held_x[i] = load_at(x, x_at + j);
            held_weight[i] = load_at(weight, j);
            held_bias[i] = load_at(bias, j);
        }
    return measured(norm, eps);
}

// The i-th four of the result that this thread has, which is j.
vec4 normal_at(RowNorm norm, uint i, uint j) {
    const vec4 gain = ROUNDS > 0 ? held_weight[i] : load_at(weight, j);
    const vec4 shift = ROUNDS > 0 ? held_bias[i] : load_at(bias, j);
    return before((four_of(norm, i, j) - norm.mean) * norm.scale * gain + shift, 4 * j, norm.columns);
}
