// The cheapest assignment of targets to queries (Hungarian method, shortest augmenting paths):
// one warp a picture, a lane every 32nd query. Columns are queries, rows targets; both count from
// 1, and column 0 is where a path begins.
//
// cost (pictures, targets, queries), number (pictures) of targets in use
// -> chosen (pictures, targets), the query of each target, 0 for those not in use
constexpr int most_targets = 64, lanes = 32, columns_a_lane = 4, warps = 4;
constexpr int most_queries = lanes * columns_a_lane;
constexpr unsigned everyone = 0xffffffff;

extern "C" __global__ void assign(const float* cost, const int* number, int* chosen, int pictures,
                                  int targets, int queries) {
    __shared__ float row_prices[warps][most_targets + 1];
    __shared__ int rows_of[warps][most_queries + 1], came_froms[warps][most_queries + 1];
    const int lane = threadIdx.x % lanes, warp = threadIdx.x / lanes;
    const int picture = blockIdx.x * warps + warp;
    if (picture >= pictures) return;
    float* const row_price = row_prices[warp];
    int* const row_of = rows_of[warp];          // the target that a query has, 0 for none
    int* const came_from = came_froms[warp];    // the column before it on the path
    cost += (long long)picture * targets * queries;
    chosen += (long long)picture * targets;
    for (int i = lane; i < targets; i += lanes) chosen[i] = 0;

    float price[columns_a_lane] = {};           // of this lane's columns
    for (int i = lane; i <= most_targets; i += lanes) row_price[i] = 0;
    for (int j = lane; j <= most_queries; j += lanes) row_of[j] = 0;
    __syncwarp();
    for (int row = 1; row <= number[picture]; row++) {
        float distance[columns_a_lane];
        bool reached[columns_a_lane];
        for (int k = 0; k < columns_a_lane; k++) distance[k] = 1e30f, reached[k] = false;
        int column = 0, at = row;
        do {
            float least = 1e30f;
            int nearest = most_queries + 1;
            for (int k = 0; k < columns_a_lane; k++) {
                const int j = k * lanes + lane + 1;
                if (j == column) reached[k] = true;
                if (reached[k] || j > queries) continue;
                const float reduced = cost[(at - 1) * queries + j - 1] - row_price[at] - price[k];
                if (reduced < distance[k]) distance[k] = reduced, came_from[j] = column;
                if (distance[k] < least) least = distance[k], nearest = j;
            }
            for (int step = lanes / 2; step > 0; step /= 2) {
                const float other = __shfl_xor_sync(everyone, least, step);
                const int whose = __shfl_xor_sync(everyone, nearest, step);
                if (other < least || (other == least && whose < nearest))
                    least = other, nearest = whose;
            }
            if (nearest > queries) return;      // costs that are not numbers
            if (lane == 0) row_price[row] += least;
            for (int k = 0; k < columns_a_lane; k++) {
                if (reached[k])
                    row_price[row_of[k * lanes + lane + 1]] += least, price[k] -= least;
                else
                    distance[k] -= least;
            }
            column = nearest;
            at = row_of[column];
            __syncwarp();
        } while (at != 0);
        if (lane == 0)
            while (column != 0) {
                const int before = came_from[column];
                row_of[column] = before ? row_of[before] : row;
                column = before;
            }
        __syncwarp();
    }
    for (int j = lane + 1; j <= queries; j += lanes)
        if (row_of[j] != 0) chosen[row_of[j] - 1] = j - 1;
}
