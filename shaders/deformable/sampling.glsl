// The sampling points of deformable attention: where those of a query lie, and how much each
// counts. A head has `points` of them, level after level. The including kernel has declared
// offsets, weights and boxes, and p with views of them, level_points, points and scale.

// Points of one head on a level.
uint points_on(uint level) { return (p.level_points[level / 4] >> (8 * (level % 4))) & 0xffu; }

// A softmax over all points of a head: the largest score, and the sum of the exponentials.
struct Shares {
    uint at;  // of the head's first score
    float largest, sum;
};
Shares shares_of(uint batch, uint query, uint head) {
    Shares s;
    s.at = row_start(p.weights, batch, query) + head * p.points;
    s.largest = weights[s.at];
    for (uint i = 1; i < p.points; ++i) s.largest = max(s.largest, weights[s.at + i]);
    s.sum = 0.0;
    for (uint i = 0; i < p.points; ++i) s.sum += exp(weights[s.at + i] - s.largest);
    return s;
}
float share_of(Shares s, uint point) { return exp(weights[s.at + point] - s.largest) / s.sum; }

// Where a point lies, in parts of the picture: in and around the query's box, whose centre is
// box.xy and whose size is box.zw.
vec2 place_of(uint batch, uint query, uint head, uint point, uint level, vec4 box) {
    const uint at = row_start(p.offsets, batch, query) + 2 * (head * p.points + point);
    return box.xy + vec2(offsets[at], offsets[at + 1]) / float(points_on(level)) * box.zw * p.scale;
}
