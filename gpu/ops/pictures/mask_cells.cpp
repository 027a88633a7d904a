#include "gpu/ops/common.h"
#include "gpu/ops/pictures.h"
#include "shaders/pictures/params.h"

namespace saccade {

void mask_cells(Commands& c, const Tensor& y, const Tensor& x, const Tensor& instead,
                const Tensor& mask, const PatchCells& cells) {
    constexpr const char* op = "mask_cells";
    constexpr uint32_t most_workgroups = 65535, most_divided = 1u << 22;  // see divide()
    require(cells.across > 0 && cells.side > 0 && x.rows % cells.across == 0, op,
            x.shape() + " is not a picture of rows of " + std::to_string(cells.across));
    require(x.batch == 1 && y.rows == x.rows && y.columns == x.columns && y.type == x.type, op,
            x.shape() + " into " + y.shape());
    require(instead.batch == 1 && instead.rows == x.rows && instead.columns == x.columns &&
                instead.type == x.type,
            op, instead.shape() + " instead of " + x.shape());
    const Size grid = cells.grid(x.rows);
    require(mask.batch == y.batch && mask.rows == 1 && mask.columns == area(grid), op,
            mask.shape() + " is not a mask of " + text(grid) + " cells for " + y.shape());
    require_f32(mask, op);
    for (const Tensor* t : {&y, &x, &instead}) require_wide(*t, op);
    const uint32_t threads = pixel_threads(c), fours = padded(x.columns) / 4;
    require(x.rows < most_divided && fours < most_divided, op, x.shape() + " is too large");
    const uint32_t most =
        std::max(1u, std::min(most_workgroups * threads, most_divided - 1) / fours);
    for (uint32_t first = 0; first < x.rows; first += most) {
        const uint32_t rows = std::min(most, x.rows - first);
        const params::MaskCellsParams p{view(x), view(instead), view(mask),   view(y),    x.columns,
                                        first,   rows,          cells.across, cells.side, grid.x};
        c.dispatch(Kernel(op, x.type, {threads}), {rows * fours, 1, y.batch},
                   {read(x), read(instead), read(mask), write(y)}, p);
    }
}

}  // namespace saccade
