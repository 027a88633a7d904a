// The layer norm of a row of x by one workgroup: (x - mean) / sqrt(variance + eps) * weight + bias, over
// its columns. Whoever includes this has included reduce.glsl and declared x, weight and bias.
struct RowNorm {
    uint x_at;  // where the row begins, in fours
    uint columns;
    float mean, scale;
};

RowNorm norm_of_row(uint x_at, uint columns, float eps) {
    const uint columns4 = (columns + 3) / 4;
    const uint me = gl_LocalInvocationID.x;
    vec4 sum = vec4(0.0);
    for (uint j = me; j < columns4; j += THREADS) sum += load_at(x, x_at + j);  // padding is zero
    const float mean = workgroup_sum(dot(sum, vec4(1.0))) / float(columns);

    vec4 squares = vec4(0.0);
    for (uint j = me; j < columns4; j += THREADS) {
        const vec4 d = before(load_at(x, x_at + j) - mean, 4 * j, columns);
        squares += d * d;
    }
    const float variance = workgroup_sum(dot(squares, vec4(1.0))) / float(columns);
    return RowNorm(x_at, columns, mean, 1.0 / sqrt(variance + eps));
}

// The j-th four of the result.
vec4 normal_at(RowNorm norm, uint j) {
    const vec4 v = (load_at(x, norm.x_at + j) - norm.mean) * norm.scale * load_at(weight, j) +
                   load_at(bias, j);
    return before(v, 4 * j, norm.columns);
}
