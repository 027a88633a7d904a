#include "gpu/ops/rows.h"
#include "tests/gpu_test.h"

namespace saccade {
namespace {

using MeanRowsTest = GpuTest;

TEST_F(MeanRowsTest, matches_plain_loops_at_odd_sizes) {
    struct Case {
        uint32_t batch, rows, columns;
    };
    for (Type in : {Type::f32, Type::f16})
        for (Type out : {Type::f32, Type::f16})
            for (const Case& c : {Case{1, 1, 1}, Case{2, 49, 20}, Case{3, 300, 7}}) {
                const std::vector<float> x = random(size_t(c.batch) * c.rows * c.columns, in);
                std::vector<float> want(size_t(c.batch) * c.columns);
                for (size_t i = 0; i < x.size(); ++i)
                    want[i / c.columns / c.rows * c.columns + i % c.columns] +=
                        x[i] / float(c.rows);
                const Tensor from = tensor(c.batch, c.rows, c.columns, in, x);
                const auto got = run([&](Commands& r) {
                    const Tensor y = r.scratch(c.batch, 1, c.columns, out);
                    mean_rows_into(r, y, from);
                    return y;
                });
                EXPECT_LT(relative_error(got, want), tolerance(out)) << c.rows << " rows";
            }
}

TEST_F(MeanRowsTest, refuses_shapes_that_do_not_fit) {
    const Tensor x = random_tensor(2, 6, 17, Type::f32);
    begin();
    EXPECT_THROW(mean_rows_into(commands, poisoned(2, 1, 18, Type::f32), x), Error);
    EXPECT_THROW(mean_rows_into(commands, poisoned(1, 1, 17, Type::f32), x), Error);
    EXPECT_THROW(mean_rows_into(commands, poisoned(2, 2, 17, Type::f32), x), Error);
    finish();
}

}  // namespace
}  // namespace saccade
