#include "gpu/ops/attention.h"
#include "gpu/ops/grid_attention.h"
#include "gpu/ops/rows.h"
#include "tests/gpu/ops/grid_attention/windows_test.h"

namespace saccade {
namespace {

class WindowMapTest : public WindowsTest {};

TEST_F(WindowMapTest, is_the_weights_of_a_window_and_lies_where_its_cells_lie) {
    for (Type type : {Type::f32, Type::f16})
        for (const Case& c : cases()) {
            const Input in = input(c, 1, type);
            const uint32_t cells = c.window * c.window, all = area(c.map);
            for (const uint32_t cell : {0u, all / 2, all - 1}) {
                const Windows::Place from = in.windows.place_of(cell);
                const auto window = run([&](Commands& r) {
                    const Tensor map = r.scratch(1, c.heads, cells, Type::f32);
                    window_map(r, map, in.q, in.k, in.heads, in.windows,
                               {.from = from, .whole = false});
                    return map;
                });
                const auto whole = run([&](Commands& r) {
                    const Tensor map = r.scratch(1, c.heads - 1, all, Type::f32);
                    window_map(r, map, in.q, in.k, in.heads, in.windows,
                               {.from = from, .first_head = 1});
                    return map;
                });
                for (uint32_t head = 0; head < c.heads; ++head) {
                    const std::vector<double> weights = weights_of(in, 0, cell, head);
                    std::vector<float> placed(all);
                    for (uint32_t key = 0; key < cells; ++key) {
                        EXPECT_NEAR(window[head * cells + key], weights[key], 1e-5);
                        const uint32_t row = row_of(in.windows, from.window, key);
                        if (row < all) placed[row] = static_cast<float>(weights[key]);
                    }
                    for (uint32_t i = 0; head > 0 && i < all; ++i)
                        EXPECT_NEAR(whole[(head - 1) * all + i], placed[i], 1e-5);
                }
            }
        }
}

// The tokens of each window alone, as an ordinary sequence.
TEST_F(WindowMapTest, a_class_token_of_each_window_looks_and_is_looked_at) {
    constexpr uint32_t window = 3, heads = 2, head = 8, cells = window * window;
    const Size map{9, 6};
    const Windows windows{.map = map, .window = window, .bias = {}, .class_tokens = true};
    ASSERT_EQ(windows.tokens(), area(map) + 6);
    for (Type type : {Type::f32, Type::f16}) {
        const Tensor q = random_tensor(1, windows.tokens(), heads * head, type);
        const Tensor k = random_tensor(1, windows.tokens(), heads * head, type);
        for (const uint32_t token : {0u, 31u, area(map) - 1, area(map) + 4}) {
            const Windows::Place from = windows.place_of(token);
            std::vector<uint32_t> rows;  // of the window, its class token last
            for (uint32_t cell = 0; cell < cells; ++cell)
                rows.push_back(row_of(windows, from.window, cell));
            rows.push_back(area(map) + from.window);
            ASSERT_EQ(rows[from.cell], token);
            const Tensor index = ids(rows);
            const auto want = run([&](Commands& c) {
                const Tensor weights = c.scratch(1, heads, cells + 1, Type::f32);
                attention_map(c, weights, gather_rows(c, q, index, type),
                              gather_rows(c, k, index, type), {heads, 0.4f},
                              {from.cell, 1, 0, heads});
                return weights;
            });
            auto got = [&](bool whole) {
                return run([&](Commands& c) {
                    const Tensor weights = c.scratch(
                        1, heads, whole ? windows.tokens() : windows.tokens_each(), Type::f32);
                    window_map(c, weights, q, k, {heads, 0.4f}, windows,
                               {.from = from, .whole = whole});
                    return weights;
                });
            };
            EXPECT_LT(relative_error(got(false), want), 1e-5);
            std::vector<float> placed(size_t(heads) * windows.tokens());
            for (uint32_t i = 0; i < heads * rows.size(); ++i)
                placed[i / rows.size() * windows.tokens() + rows[i % rows.size()]] = want[i];
            EXPECT_LT(relative_error(got(true), placed), 1e-5);
        }
    }
}

TEST_F(WindowMapTest, refuses_what_is_not_there) {
    const Input in = input({{6, 4}, 4, 0, 2, 8, false}, 1, Type::f32);
    begin();
    const Tensor map = poisoned(1, 2, 24, Type::f32);
    EXPECT_THROW(window_map(commands, map, in.q, in.k, in.heads, in.windows, {.from = {2, 0}}),
                 Error);
    EXPECT_THROW(window_map(commands, map, in.q, in.k, in.heads, in.windows, {.from = {0, 16}}),
                 Error);
    EXPECT_THROW(window_map(commands, map, in.q, in.k, in.heads, in.windows,
                            {.from = {0, 0}, .first_head = 1}),
                 Error);
    finish();
}

}  // namespace
}  // namespace saccade
