// The cheapest assignment of targets to queries (Hungarian method, shortest augmenting paths):
// one thread a picture. Columns and rows count from 1; column 0 is where a path begins.
//
// cost (pictures, targets, queries), number (pictures) of targets in use
// -> chosen (pictures, targets), the query of each target, 0 for those not in use
constexpr int most_targets = 8, most_queries = 32;

extern "C" __global__ void assign(const float* cost, const int* number, int* chosen, int pictures,
                                  int targets, int queries) {
    const int picture = blockIdx.x * blockDim.x + threadIdx.x;
    if (picture >= pictures) return;
    cost += (long long)picture * targets * queries;
    float row_price[most_targets + 1] = {}, column_price[most_queries + 1] = {};
    int row_of[most_queries + 1] = {}, came_from[most_queries + 1] = {};
    for (int row = 1; row <= number[picture]; row++) {
        float distance[most_queries + 1];
        bool reached[most_queries + 1];
        for (int j = 0; j <= queries; j++) distance[j] = 1e30f, reached[j] = false;
        int column = 0;
        row_of[0] = row;
        do {
            reached[column] = true;
            const int at = row_of[column];
            int nearest = 0;
            float least = 1e30f;
            for (int j = 1; j <= queries; j++) {
                if (reached[j]) continue;
                const float reduced =
                    cost[(at - 1) * queries + j - 1] - row_price[at] - column_price[j];
                if (reduced < distance[j]) distance[j] = reduced, came_from[j] = column;
                if (distance[j] < least) least = distance[j], nearest = j;
            }
            for (int j = 0; j <= queries; j++) {
                if (reached[j])
                    row_price[row_of[j]] += least, column_price[j] -= least;
                else
                    distance[j] -= least;
            }
            column = nearest;
        } while (row_of[column] != 0);
        while (column != 0) {
            row_of[column] = row_of[came_from[column]];
            column = came_from[column];
        }
    }
    chosen += picture * targets;
    for (int i = 0; i < targets; i++) chosen[i] = 0;
    for (int j = 1; j <= queries; j++)
        if (row_of[j] != 0) chosen[row_of[j] - 1] = j - 1;
}
