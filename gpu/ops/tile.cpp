#include "gpu/ops/tile.h"

#include <algorithm>
#include <bit>

#include "gpu/ops/common.h"

namespace saccade {

namespace {

constexpr uint32_t most_few_rows = 8;  // more would take too many registers
constexpr uint32_t fewest_rows = 16;   // below, most of a fragment would be padding

// Largest first: a large tile reads each element less often, a small one gives more workgroups.
// Where there are fewer workgroups than a large GPU runs at once, the time is that of waiting for
// loads, and deeper tiles wait less often.
struct Shape {
    uint32_t bm, bn, bk, wm, wn;
    uint64_t fewest_workgroups;  // to be worth it
};
constexpr Shape shapes[] = {
    {128, 128, 64, 64, 32, 128},
    {64, 64, 64, 32, 32, 132},
    {64, 64, 128, 32, 32, 96},
    {32, 64, 128, 16, 32, 0},
};

std::optional<MatrixShape> choose_fragment(const Features& features) {
    const auto& all = features.matrix_shapes;
    // The fragments must fill every tile above.
    auto fits = [](const MatrixShape& f) {
        return 16 % f.m == 0 && 16 % f.n == 0 && f.n % 4 == 0 && 32 % f.k == 0 && f.k % 8 == 0;
    };
    std::optional<MatrixShape> best;
    for (const MatrixShape& f : all)
        if (fits(f) && (!best || f.m * f.n * f.k > best->m * best->n * best->k)) best = f;
    return best;
}

}  // namespace

Tile choose_tile(const Device& device, uint32_t rows) {
    if (!device.is_cpu()) return rows == 1 ? Tile{64, 1, 1, 4} : Tile{16, 8, 4, 4};
    if (rows <= 4) return {4, 1, rows == 1 ? 1u : 4u, 8};
    return {4, 1, 8, 8};
}

std::optional<MatrixTile> choose_matrix_tile(const Commands& c, uint32_t batch, uint32_t rows,
                                             uint32_t columns, uint32_t depth) {
    if (c.plain_kernels() || !c.device().features().cooperative_matrix || rows < fewest_rows)
        return std::nullopt;
    const std::optional<MatrixShape> fragment = choose_fragment(c.device().features());
    if (!fragment) return std::nullopt;
    const Limits& limits = c.device().limits();
    std::optional<MatrixTile> chosen;
    for (const Shape& s : shapes) {
        const uint32_t bk = std::min(s.bk, std::bit_ceil(std::max(depth, 32u)));
        const uint32_t subgroups = (s.bm / s.wm) * (s.bn / s.wn);
        const uint32_t threads = limits.subgroup_size * subgroups;
        const uint32_t loads = bk / 8;
        // More shared memory than there is would lose the device.
        const uint32_t shared =
            (s.bm + s.bn) * (loads + 1) * 16 + subgroups * fragment->m * (fragment->n + 4) * 4;
        if (threads > limits.workgroup_threads || s.bm * loads % threads != 0 ||
            s.bn * loads % threads != 0 || threads % loads != 0 || shared > limits.shared_bytes)
            continue;
        chosen = {threads, subgroups, s.bm, s.bn, bk, s.wm, s.wn, *fragment};
        const uint64_t groups =
            uint64_t(batch) * divide_up(rows, s.bm) * divide_up(padded(columns), s.bn);
        if (groups >= s.fewest_workgroups) break;
    }
    return chosen;
}

std::optional<RowTile> choose_row_tile(const Device& device, uint32_t rows, uint32_t columns,
                                       uint32_t depth) {
    if (rows > most_few_rows) return std::nullopt;
    const uint32_t held = std::bit_ceil(rows);
    if (device.is_cpu()) return RowTile{4, 4, held > 2 ? 4u : 8u, held, 1, 0};
    // Enough lanes that few rounds go over a column, enough columns that many bytes are on the way,
    // enough workgroups that every core has some.
    const uint32_t lanes = columns >= 8192 ? 32 : depth >= 2048 ? 128 : 64;
    const bool wide = lanes == 32;
    const RowTile tile{128, lanes, wide ? 4u : 1u, held, wide ? 1u : 2u, 1};
    if (tile.shared_bytes() > device.limits().shared_bytes) return std::nullopt;
    return tile;
}

bool loads_eights(const Tensor& t) {
    return t.offset % 8 == 0 && t.row_stride % 8 == 0 && (t.batch == 1 || t.batch_stride % 8 == 0);
}

}  // namespace saccade
