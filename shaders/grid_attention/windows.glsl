// Windows of WINDOW x WINDOW cells on a map of cells, after the map has been shifted by some cells to the
// left and up, around its edges. The map is padded to whole windows; cells that this adds all have one
// row of q, k and v, which follows those of the map.
// The including kernel has declared p with a member `windows`, and WINDOW.
uint batch, window_x, window_y;

void find_window(uint index) {
    batch = divide(index, p.windows.across * p.windows.down);
    const uint within = index - batch * (p.windows.across * p.windows.down);
    window_y = divide(within, p.windows.across);
    window_x = within - window_y * p.windows.across;
}

// (column, row) of a cell of a window.
uvec2 place_of(uint cell) { return uvec2(cell % WINDOW, cell / WINDOW); }

uint padding_row() { return p.windows.width * p.windows.height; }

// The row of q, k and v that a cell of this window has.
uint row_of(uvec2 place) {
    uvec2 at = uvec2(window_x, window_y) * WINDOW + place + p.windows.shift;
    const uvec2 all = uvec2(p.windows.across, p.windows.down) * WINDOW;
    at -= mix(uvec2(0), all, greaterThanEqual(at, all));
    return at.x < p.windows.width && at.y < p.windows.height ? at.y * p.windows.width + at.x
                                                             : padding_row();
}

// The inverse: the cell of this window that a row of the map is, or a number past all cells.
uint cell_of(uint row) {
    const uvec2 all = uvec2(p.windows.across, p.windows.down) * WINDOW;
    const uint y = divide(row, p.windows.width);
    uvec2 at = uvec2(row - y * p.windows.width, y) + all - p.windows.shift;
    at -= mix(uvec2(0), all, greaterThanEqual(at, all));
    const uvec2 place = at - uvec2(window_x, window_y) * WINDOW;  // wraps before the window
    return place.x < WINDOW && place.y < WINDOW ? place.y * WINDOW + place.x : WINDOW * WINDOW;
}

// Whether two cells come from opposite ends of the map, in a shifted window at the end of a row or
// column: neither may attend to the other.
bool apart(uvec2 a, uvec2 b) {
    if (p.windows.shift == 0) return false;
    const uint edge = WINDOW - p.windows.shift;
    return (window_x + 1 == p.windows.across && (a.x >= edge) != (b.x >= edge)) ||
           (window_y + 1 == p.windows.down && (a.y >= edge) != (b.y >= edge));
}

// Where the bias of a head begins for a query at this place. Keys are counted backwards from there.
uint bias_at(uint head, uvec2 query) {
    const uint wide = 2 * WINDOW - 1;
    return head * p.windows.bias_stride + (query.y + WINDOW - 1) * wide + query.x + WINDOW - 1;
}
uint bias_step(uvec2 key) { return key.y * (2 * WINDOW - 1) + key.x; }
