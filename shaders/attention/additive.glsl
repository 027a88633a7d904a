// The score of a key: w . tanh(k + q). The including kernel has declared q, k, w and p.columns.
// The padding of w is zero, so that of k and q does not matter.
float score_of(uint q_at, uint k_at) {
    vec4 sum = vec4(0.0);
    for (uint i = 0; i < padded(p.columns) / 4; ++i)
        sum += w[i] * tanh(clamp(load(k[k_at + i]) + q[q_at + i], -15.0, 15.0));
    return dot(sum, vec4(1.0));
}
