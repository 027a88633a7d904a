// The relative position part of the score of a query with a key: what relative_scores computed for
// the query and the key's row and column. The `first` queries and keys before the maps have no
// position. The including kernel has declared p, with a member `grid`, and scores.
float place_score(uint batch, uint head, uint query, uint key) {
    if (query < p.grid.first || key < p.grid.first) return 0.0;
    const uint down = divide(key - p.grid.first, p.grid.key_width);
    const uint across = key - p.grid.first - down * p.grid.key_width;
    const uint at = row_start(p.scores, batch, query - p.grid.first) +
                    head * (p.grid.key_height + p.grid.key_width);
    return scores[at + down] + scores[at + p.grid.key_height + across];
}
