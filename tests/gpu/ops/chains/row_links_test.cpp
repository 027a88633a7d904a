// Operations on some hundred rows give in a chain what they give on their own, on devices that have
// cooperative matrices and chains.

#include <cmath>
#include <cstring>

#include "gpu/ops/attention.h"
#include "gpu/ops/boxes.h"
#include "gpu/ops/deformable.h"
#include "gpu/ops/elementwise.h"
#include "gpu/ops/links.h"
#include "gpu/ops/norms.h"
#include "gpu/ops/products.h"
#include "tests/gpu/ops/chains/chained.h"

namespace saccade {
namespace {

constexpr double row_half_error = 2e-3, row_float_error = 1e-3;

class RowLinksTest : public Chained {
protected:
    void SetUp() override {
        if (!has_row_chains(device))
            GTEST_SKIP() << device.info().name << " has no chains of many rows";
    }
    Tensor floats_of(uint32_t rows, uint32_t columns) {
        return random_tensor(1, rows, columns, Type::f32);
    }
};

TEST_F(RowLinksTest, gives_the_same_products) {
    for (uint32_t rows : {16u, 100u, 301u})
        for (uint32_t in : {4u, 24u, 256u, 520u, 2048u})
            for (uint32_t out : {4u, 91u, 264u}) {
                const std::string sizes = std::to_string(rows) + " rows, " + std::to_string(in) +
                                          " to " + std::to_string(out);
                const Tensor x = random_tensor(1, rows, in, Type::f16);
                const Linear w = matrix_layer(out, in);
                expect_alike("halves, " + sizes, row_half_error,
                             [&](Commands& c) { return linear(c, x, w, Activation::relu); });
                expect_alike("to fp32 without a bias, " + sizes, row_float_error, [&](Commands& c) {
                    const Tensor y = c.scratch(1, rows, out, Type::f32);
                    linear_into(c, y, x, {w.weight, {}, w.fragments}, Activation::sigmoid);
                    return y;
                });
            }
}

TEST_F(RowLinksTest, adds_products_to_what_is_there) {
    for (uint32_t in : {64u, 1000u}) {
        const Tensor start = floats_of(77, 200), x = random_tensor(1, 77, in, Type::f16);
        const Linear w = matrix_layer(200, in);
        expect_alike(std::to_string(in), row_float_error, [&](Commands& c) {
            const Tensor y = c.scratch(1, 77, 200, Type::f32);
            copy(c, y, start);
            linear_add(c, y, x, w);
            linear_add(c, y, x, w);
            return y;
        });
    }
}

TEST_F(RowLinksTest, gives_the_same_sums_beside_products) {
    for (uint32_t out : {64u, 260u}) {
        const Tensor plus = floats_of(77, out), x = random_tensor(1, 77, 512, Type::f16);
        const Linear w = matrix_layer(out, 512);
        for (bool sums : {false, true})
            expect_alike(std::to_string(out), row_half_error, [&](Commands& c) {
                const Tensor y = c.scratch(1, 77, out, Type::f32);
                const Tensor sum = c.scratch(1, 77, out, Type::f16);
                linear_beside(c, y, sum, x, w, plus);
                return sums ? sum : y;
            });
    }
}

TEST_F(RowLinksTest, gives_the_same_attention) {
    for (uint32_t queries : {16u, 100u, 300u})
        for (uint32_t keys : {1u, 100u, 300u, 850u, 2000u})
            for (uint32_t head : {16u, 32u, 64u}) {
                const Tensor q = random_tensor(1, queries, 3 * head, Type::f16);
                const Tensor k = random_tensor(1, keys, 3 * head, Type::f16);
                const Tensor v = random_tensor(1, keys, 3 * head, Type::f16);
                expect_alike(std::to_string(queries) + " queries, " + std::to_string(keys) +
                                 " keys of " + std::to_string(head),
                             row_half_error,
                             [&](Commands& c) { return attention(c, q, k, v, {3, 0.3f}); });
            }
}

TEST_F(RowLinksTest, gives_the_same_norms_and_sums) {
    for (uint32_t columns : {8u, 256u, 264u, 1024u}) {
        const Tensor start = floats_of(133, columns), positions = floats_of(133, columns);
        const Norm over{floats_of(1, columns), floats_of(1, columns)};
        const auto of = [&](uint32_t which) {
            return [&, which](Commands& c) {
                const Tensor x = c.scratch(1, 133, columns, Type::f32);
                const Tensor y = c.scratch(1, 133, columns, Type::f16);
                const Tensor at = c.scratch(1, 133, columns, Type::f16);
                copy(c, x, start);
                post_norm(c, x, over, {which == 1 ? y : Tensor{}, which == 2 ? at : Tensor{}, positions});
                return which == 0 ? x : which == 1 ? y : at;
            };
        };
        for (uint32_t which = 0; which < 3; ++which)
            expect_alike(std::to_string(columns) + " columns, " + std::to_string(which), row_half_error,
                         of(which));
        expect_alike("sum", row_half_error, [&](Commands& c) {
            const Tensor y = c.scratch(1, 133, columns, Type::f16);
            add_into(c, y, start, positions);
            return y;
        });
    }
}

TEST_F(RowLinksTest, gives_the_same_samples) {
    const std::vector<Size> levels{{20, 15}, {10, 8}, {5, 4}};
    const Tensor values = random_tensor(1, 20 * 15 + 10 * 8 + 5 * 4, 64, Type::f16);
    for (const std::vector<uint32_t>& points :
         {std::vector<uint32_t>{4, 4, 4}, std::vector<uint32_t>{3, 6, 3}, std::vector<uint32_t>{1, 0, 2}}) {
        const Sampling sampling{.points = points, .scale = 0.5f};
        const uint32_t all = 8 * sampling.all_points();
        std::vector<float> corners = random(size_t(101) * 4);
        for (float& v : corners) v = 0.5f + 0.4f * v;
        const SamplingQueries queries{floats_of(101, 2 * all), floats_of(101, all),
                                      tensor(1, 101, 4, Type::f32, corners)};
        expect_alike(std::to_string(all) + " points", row_half_error, [&](Commands& c) {
            return deformable(c, values, levels, queries, 8, sampling);
        });
    }
}

TEST_F(RowLinksTest, gives_the_same_boxes) {
    std::vector<float> corners = random(size_t(301) * 4);
    for (float& v : corners) v = 0.5f + 0.6f * v;  // some beyond the picture
    const Tensor deltas = floats_of(301, 4), reference = tensor(1, 301, 4, Type::f32, corners);
    for (bool copies : {false, true})
        expect_alike("boxes", row_half_error, [&](Commands& c) {
            const Boxes to{c.scratch(1, 301, 4, Type::f32), c.scratch(1, 301, 4, Type::f16)};
            refine_boxes(c, to, deltas, reference);
            return copies ? to.copy : to.boxes;
        });
}

TEST_F(RowLinksTest, moves_boxes_alike) {
    std::vector<float> corners = random(size_t(301) * 4);
    for (float& v : corners) v = 0.5f + 0.6f * v;
    const Tensor start = tensor(1, 301, 4, Type::f32, corners);
    for (const auto& [in, out] : {std::pair{256u, 512u}, {40u, 36u}}) {
        const Tensor x = random_tensor(1, 301, in, Type::f16);
        const Linear deltas = matrix_layer(4, in), place = matrix_layer(out, 4);
        for (uint32_t which = 0; which < 3; ++which)
            expect_alike(std::to_string(in) + ", " + std::to_string(which), row_half_error,
                         [&](Commands& c) {
                             const Boxes boxes{c.scratch(1, 301, 4, Type::f32),
                                               c.scratch(1, 301, 4, Type::f16)};
                             const Tensor placed = c.scratch(1, 301, out, Type::f16);
                             copy(c, boxes.boxes, start);
                             move_boxes(c, boxes, placed, x, deltas, place, Activation::relu);
                             return which == 0 ? boxes.boxes : which == 1 ? boxes.copy : placed;
                         });
    }
}

TEST_F(RowLinksTest, leaves_what_does_not_fit_to_other_kernels) {
    const Linear w = matrix_layer(64, 64);
    for (const Tensor& x : {random_tensor(2, 64, 64, Type::f16), random_tensor(1, 600, 64, Type::f16),
                            random_tensor(1, 15, 64, Type::f16)}) {
        commands.keep_trace(true);
        run([&](Commands& c) {
            auto scope = c.scope("chained");
            auto chain = c.chain();
            return linear(c, x, w);
        });
        for (const std::string& line : commands.trace())
            EXPECT_FALSE(line.starts_with("chain")) << x.shape();
        commands.keep_trace(false);
    }
}

// A workgroup that read what another had not yet written would show in some bit, some time.
TEST_F(RowLinksTest, ten_thousand_links_give_the_same_bits_again) {
    constexpr uint32_t rows = 300, dim = 256, heads = 8, layers = 12, chains = 100;
    const Norm over{floats_of(1, dim), floats_of(1, dim)};
    const Linear qk = matrix_layer(2 * dim, dim), v = matrix_layer(dim, dim),
                 out = matrix_layer(dim, dim), up = matrix_layer(4 * dim, dim),
                 down = matrix_layer(dim, 4 * dim);
    const Tensor start = floats_of(rows, dim), positions = floats_of(rows, dim);
    auto steps = [&] {
        std::vector<float> all;
        for (uint32_t i = 0; i < chains; ++i) {
            const std::vector<float> now = run([&](Commands& c) {
                auto scope = c.scope("chained");
                auto chain = c.chain();
                const Tensor x = c.scratch(1, rows, dim, Type::f32);
                const Tensor y = c.scratch(1, rows, dim, Type::f16);
                const Tensor at = c.scratch(1, rows, dim, Type::f16);
                copy(c, x, start);
                for (uint32_t j = 0; j < layers; ++j) {
                    auto one = c.scope("layer");
                    post_norm(c, x, over, {y, at, positions});
                    const Tensor both = linear(c, at, qk);
                    linear_add(c, x,
                               attention(c, both.slice_columns(0, dim), both.slice_columns(dim, dim),
                                         linear(c, y, v), {heads, 0.2f}),
                               out);
                    post_norm(c, x, over, {y, {}, {}});
                    linear_add(c, x, linear(c, y, up, Activation::relu), down);
                }
                return x;
            });
            EXPECT_EQ(commands.counts().dispatches, 1u);
            all.insert(all.end(), now.begin(), now.end());
        }
        return all;
    };
    const std::vector<float> once = steps(), again = steps();
    for (float value : once) ASSERT_TRUE(std::isfinite(value));
    EXPECT_EQ(std::memcmp(once.data(), again.data(), once.size() * sizeof(float)), 0);
    // Nor does one chain give other bits than the next.
    const size_t one = size_t(rows) * dim;
    for (size_t i = 1; i < chains; ++i)
        ASSERT_EQ(std::memcmp(once.data(), once.data() + i * one, one * sizeof(float)), 0) << i;
}

}  // namespace
}  // namespace saccade
