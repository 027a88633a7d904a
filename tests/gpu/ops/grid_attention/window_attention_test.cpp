#include "gpu/ops/grid_attention.h"
#include "tests/gpu/ops/grid_attention/windows_test.h"

namespace saccade {
namespace {

class WindowAttentionTest : public WindowsTest {};

TEST_F(WindowAttentionTest, matches_plain_loops_on_padded_and_shifted_maps) {
    for (Type type : {Type::f32, Type::f16})
        for (const Case& c : cases()) {
            const Input in = input(c, 2, type);
            const auto got = run([&](Commands& r) {
                return window_attention(r, in.q, in.k, in.v, in.heads, in.windows);
            });
            std::vector<float> want(got.size());
            const size_t columns = in.q.columns, cells = area(c.map);
            for (uint32_t batch = 0; batch < 2; ++batch)
                for (uint32_t cell = 0; cell < cells; ++cell)
                    for (uint32_t head = 0; head < c.heads; ++head) {
                        const std::vector<double> weights = weights_of(in, batch, cell, head);
                        for (size_t d = 0; d < c.head; ++d) {
                            double sum = 0;
                            for (size_t key = 0; key < weights.size(); ++key)
                                sum += weights[key] *
                                       in.value(in.v_values, batch,
                                                row_of(in.windows, in.windows.place_of(cell).window,
                                                       uint32_t(key)),
                                                head * c.head + d);
                            want[(batch * cells + cell) * columns + head * c.head + d] =
                                static_cast<float>(sum);
                        }
                    }
            EXPECT_LT(relative_error(got, want), tolerance(type))
                << c.map.x << "x" << c.map.y << ", window " << c.window << ", shift " << c.shift;
        }
}

TEST_F(WindowAttentionTest, keys_of_no_length_do_not_make_a_nan_of_it) {
    Input in = input({{5, 5}, 4, 2, 2, 16, true}, 1, Type::f16);
    in.k = tensor(1, in.k.rows, in.k.columns, Type::f16, std::vector<float>(in.k_values.size()));
    const auto got = run(
        [&](Commands& r) { return window_attention(r, in.q, in.k, in.v, in.heads, in.windows); });
    for (float value : got) EXPECT_TRUE(std::isfinite(value));
}

TEST_F(WindowAttentionTest, refuses_shapes_that_do_not_fit) {
    const Input in = input({{6, 4}, 4, 0, 2, 8, false}, 1, Type::f32);
    begin();
    Windows other = in.windows;
    other.map = {6, 5};
    EXPECT_THROW(window_attention(commands, in.q, in.k, in.v, in.heads, other), Error);
    other = in.windows;
    other.window = 3;
    EXPECT_THROW(window_attention(commands, in.q, in.k, in.v, in.heads, other), Error) << "bias";
    EXPECT_THROW(window_attention(commands, in.q, in.k, in.v, {3}, in.windows), Error);
    finish();
}

}  // namespace
}  // namespace saccade
