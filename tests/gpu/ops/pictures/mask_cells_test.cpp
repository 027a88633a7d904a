#include "gpu/ops/pictures.h"
#include "tests/gpu_test.h"

namespace saccade {
namespace {

class MaskCellsTest : public GpuTest {};

// The pictures of a batch, each with the cells of its mask replaced.
std::vector<float> expected(const std::vector<float>& x, const std::vector<float>& instead,
                            const std::vector<float>& mask, uint32_t batch, uint32_t columns,
                            const PatchCells& cells) {
    const auto rows = static_cast<uint32_t>(x.size() / columns);
    const Size grid = cells.grid(rows);
    std::vector<float> y;
    for (uint32_t b = 0; b < batch; ++b)
        for (uint32_t i = 0; i < rows; ++i) {
            const uint32_t right = i % cells.across / cells.side,
                           down = i / cells.across / cells.side;
            const bool out = mask[(b * grid.y + down) * grid.x + right] != 0;
            for (uint32_t k = 0; k < columns; ++k)
                y.push_back((out ? instead : x)[i * columns + k]);
        }
    return y;
}

TEST_F(MaskCellsTest, replaces_the_cells_of_each_pictures_own_mask_and_no_other_bit) {
    struct Case {
        uint32_t across, down, side, columns, batch;
    };
    for (const Case& t : {Case{7, 5, 1, 12, 3}, Case{7, 5, 2, 27, 4}, Case{53, 41, 8, 3, 2}})
        for (Type type : {Type::f32, Type::f16}) {
            const uint32_t rows = t.across * t.down;
            const PatchCells cells{t.across, t.side};
            const uint32_t count = area(cells.grid(rows));
            const std::vector<float> x = random(size_t(rows) * t.columns, type),
                                     instead = random(size_t(rows) * t.columns, type);
            std::vector<float> mask = random(size_t(t.batch) * count);
            for (float& m : mask) m = m > 0.3f ? 1.0f : 0.0f;
            const Tensor tx = tensor(1, rows, t.columns, type, x),
                         ti = tensor(1, rows, t.columns, type, instead),
                         tm = tensor(t.batch, 1, count, Type::f32, mask);
            const auto y = run([&](Commands& c) {
                const Tensor to = c.scratch(t.batch, rows, t.columns, type);
                mask_cells(c, to, tx, ti, tm, cells);
                return to;
            });
            EXPECT_EQ(y, expected(x, instead, mask, t.batch, t.columns, cells)) << rows;
        }
}

// Software Vulkan takes 65,535 workgroups of four threads at a time.
TEST_F(MaskCellsTest, goes_over_pictures_of_more_patches_than_one_dispatch_takes) {
    const PatchCells cells{520, 130};
    const uint32_t rows = 520 * 510;
    std::vector<float> mask(16, 0.0f);
    mask[0] = mask[15] = 1;
    const Tensor x = tensor(1, rows, 3, Type::f32, std::vector<float>(size_t(rows) * 3, 1.0f)),
                 instead =
                     tensor(1, rows, 3, Type::f32, std::vector<float>(size_t(rows) * 3, 2.0f)),
                 tm = tensor(1, 1, 16, Type::f32, mask);
    const auto y = run([&](Commands& c) {
        const Tensor to = c.scratch(1, rows, 3, Type::f32);
        mask_cells(c, to, x, instead, tm, cells);
        return to;
    });
    for (uint32_t row : {0u, 129u, 130u, 520u * 129 + 129, 520u * 130, 520u * 390 + 389,
                         520u * 390 + 390, rows - 1})
        EXPECT_EQ(y[size_t(row) * 3],
                  (row / 520 < 130 && row % 520 < 130) || (row / 520 >= 390 && row % 520 >= 390)
                      ? 2.0f
                      : 1.0f)
            << row;
}

TEST_F(MaskCellsTest, refuses_shapes_that_do_not_fit) {
    const Tensor x = random_tensor(1, 12, 8, Type::f32), y = random_tensor(2, 12, 8, Type::f32);
    const Tensor mask = random_tensor(2, 1, 4, Type::f32);
    const PatchCells cells{4, 2};
    EXPECT_THROW(mask_cells(commands, y, x, random_tensor(1, 11, 8, Type::f32), mask, cells),
                 Error);
    EXPECT_THROW(mask_cells(commands, y, y, x, mask, cells), Error);
    EXPECT_THROW(mask_cells(commands, y, x, x, random_tensor(2, 1, 5, Type::f32), cells), Error);
    EXPECT_THROW(mask_cells(commands, y, x, x, random_tensor(1, 1, 4, Type::f32), cells), Error);
    EXPECT_THROW(mask_cells(commands, y, x, x, mask, {5, 2}), Error);
}

}  // namespace
}  // namespace saccade
