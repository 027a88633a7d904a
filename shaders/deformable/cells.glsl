// Values of a map between its cells, as PyTorch's grid_sample has them: bilinear, zero outside of
// the map. The including kernel has declared
//   vec4 cell_values(uint cell, uint j)   columns 4 j .. 4 j + 3 of a cell
// Every load is made, even outside of the map, because drivers wait at once for a conditional load.

vec4 cell(uint first, ivec2 at, ivec2 size, uint j) {
    const ivec2 inside = clamp(at, ivec2(0), size - 1);
    const vec4 v = cell_values(first + uint(inside.y * size.x + inside.x), j);
    return inside == at ? v : vec4(0.0);
}

// A map of `size` whose first cell is `first`; `place` in cells, the i-th of which is centred on i + 1/2.
// Places far outside are clamped, so that no number becomes too large.
vec4 between_cells(uint first, vec2 place, ivec2 size, uint j) {
    const vec2 at = clamp(place - 0.5, vec2(-2.0), vec2(size) + 1.0);
    const ivec2 corner = ivec2(floor(at));
    const vec2 t = at - vec2(corner);
    return mix(mix(cell(first, corner, size, j), cell(first, corner + ivec2(1, 0), size, j), t.x),
               mix(cell(first, corner + ivec2(0, 1), size, j),
                   cell(first, corner + ivec2(1, 1), size, j), t.x), t.y);
}
