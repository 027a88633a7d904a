// Every tile and split of the kernels on cooperative matrices, and attention in many rounds,
// against the plain kernels, on devices that have such matrices.

#include "gpu/ops/attention.h"
#include "gpu/ops/attention/attention_tile.h"
#include "gpu/ops/elementwise.h"
#include "gpu/ops/products/kernels.h"
#include "tests/gpu/ops/products/every_tile.h"

namespace saccade {
namespace {

class MatrixTest : public EveryTile {
protected:
    void SetUp() override {
        if (held_fragments(device).eights == 0)
            GTEST_SKIP() << device.info().name << " has no cooperative matrices that we use";
    }
    // All tiles, with the splits that a large GPU would use.
    std::vector<MatrixTile> tiles_of(const Product& product) const {
        DeviceInfo large = device.info();
        large.limits.cores = 132;
        std::vector<MatrixTile> tiles = matrix_tiles(large, held_fragments(device), product);
        for (const MatrixTile& tile :
             matrix_tiles(large, held_fragments(device), product, Fitted::no))
            tiles.push_back(tile);
        return tiles;
    }
};

TEST_F(MatrixTest, products_of_every_tile_and_split_match_the_plain_kernel) {
    // Odd sizes, past the edge of the largest tile, and deep enough for every split.
    constexpr uint32_t rows = 133, columns = 267, depth = 2060;
    const Tensor x = random_tensor(2, rows, depth, Type::f16);
    const Linear w = matrix_layer(columns, depth);
    for (Type out : {Type::f16, Type::f32}) {
        const auto of = [&](const auto& multiply) {
            return [&](Commands& c) {
                const Tensor y = c.scratch(2, rows, columns, out);
                multiply(c, y);
                return y;
            };
        };
        const auto expected = plain(of(
            [&](Commands& c, const Tensor& y) { linear_into(c, y, x, w, Activation::gelu_erf); }));
        uint32_t most_splits = 0;
        const std::vector<MatrixTile> tiles = tiles_of({2, rows, columns, depth});
        for (const MatrixTile& tile : tiles) {
            most_splits = std::max(most_splits, tile.splits);
            const auto result = run(of([&](Commands& c, const Tensor& y) {
                linear_on_matrices(c, y, x, w, {Activation::gelu_erf}, tile);
            }));
            EXPECT_LT(relative_error(result, expected), tolerance(Type::f16)) << text(tile);
        }
        EXPECT_GE(tiles.size(), 14u);
        EXPECT_EQ(most_splits, 4u);
    }
}

TEST_F(MatrixTest, products_add_to_what_is_there_in_every_tile_and_split) {
    const Tensor x = random_tensor(1, 40, 1024, Type::f16);
    const Linear w = matrix_layer(72, 1024);
    const Tensor before = random_tensor(1, 40, 72, Type::f32);
    const auto of = [&](const auto& add) {
        return [&](Commands& c) {
            const Tensor y = c.scratch(1, 40, 72, Type::f32);
            copy(c, y, before);
            add(c, y);
            return y;
        };
    };
    const auto expected = plain(of([&](Commands& c, const Tensor& y) { linear_add(c, y, x, w); }));
    for (const MatrixTile& tile : tiles_of({1, 40, 72, 1024})) {
        const auto result = run(of([&](Commands& c, const Tensor& y) {
            linear_on_matrices(c, y, x, w, {.accumulate = true}, tile);
        }));
        EXPECT_LT(relative_error(result, expected), tolerance(Type::f16)) << text(tile);
    }
}

// Shallower than any tile is wide, and fewer rows than a fragment has.
TEST_F(MatrixTest, products_of_few_rows_and_columns_stay_within_them) {
    for (uint32_t rows : {1u, 7u, 17u})
        for (uint32_t depth : {8u, 24u, 72u}) {
            const Tensor x = random_tensor(1, rows, depth, Type::f16);
            const Linear w = matrix_layer(5, depth);
            const auto expected = plain([&](Commands& c) { return linear(c, x, w); });
            for (const MatrixTile& tile : tiles_of({1, rows, 5, depth})) {
                const auto result = run([&](Commands& c) {
                    const Tensor y = c.scratch(1, rows, 5, Type::f16);
                    linear_on_matrices(c, y, x, w, {Activation::none}, tile);
                    return y;
                });
                EXPECT_LT(relative_error(result, expected), tolerance(Type::f16))
                    << rows << " x " << depth << ", " << text(tile);
            }
        }
}

TEST_F(MatrixTest, convolutions_of_every_tile_and_split_match_the_plain_kernel) {
    struct Case {
        Size size;
        uint32_t in, out, kernel, stride, padding, dilation;
    };
    for (const Case& t : {Case{{13, 11}, 240, 70, 3, 1, 1, 1}, Case{{19, 23}, 3, 267, 7, 2, 3, 1},
                          Case{{30, 9}, 40, 24, 3, 1, 2, 2}, Case{{12, 12}, 1030, 65, 1, 1, 0, 1},
                          Case{{25, 13}, 1030, 70, 1, 2, 0, 1}, Case{{11, 9}, 24, 40, 1, 1, 1, 1},
                          Case{{13, 11}, 256, 70, 3, 1, 1, 1}, Case{{9, 14}, 64, 40, 5, 2, 4, 1}}) {
        Conv2d w;
        w.weight = random_tensor(1, t.out, t.kernel * t.kernel * padded(t.in), Type::f16);
        w.bias = random_tensor(1, 1, t.out, Type::f32);
        w.fragments = fragments(w.weight);
        w.in = t.in;
        w.kernel = {t.kernel, t.kernel};
        w.stride = t.stride;
        w.padding = t.padding;
        w.dilation = t.dilation;
        const Tensor x = random_tensor(1, area(t.size), t.in, Type::f16);
        const uint32_t pixels = area(w.out_size(t.size));
        const auto expected =
            plain([&](Commands& c) { return conv2d(c, x, t.size, w, Activation::relu); });
        for (const MatrixTile& tile : tiles_of({1, pixels, t.out, w.weight.columns})) {
            const auto result = run([&](Commands& c) {
                const Tensor y = c.scratch(1, pixels, t.out, Type::f16);
                conv2d_on_matrices(c, y, x, t.size, w, {Activation::relu}, tile);
                return y;
            });
            EXPECT_LT(relative_error(result, expected), tolerance(Type::f16))
                << text(tile) << ", kernel " << t.kernel << ", stride " << t.stride;
        }
    }
}

// One round for all keys, two with a rest, and many: blocks of 16 keys, in one chunk or several.
TEST_F(MatrixTest, attention_in_any_number_of_rounds_matches_the_plain_kernel) {
    const uint32_t lanes = device.limits().subgroup_size;
    struct Case {
        uint32_t query_groups, key_groups, chunks, chunk_blocks, keys;
    };
    for (const Case& t : {Case{1, 4, 1, 2, 120}, Case{1, 4, 1, 2, 197}, Case{2, 2, 2, 1, 700},
                          Case{4, 1, 1, 4, 197}, Case{4, 1, 2, 3, 1370}, Case{8, 1, 1, 1, 100},
                          Case{1, 1, 1, 1, 300}})
        for (uint32_t head : {16u, 64u}) {
            AttentionTile tile{t.query_groups * t.key_groups * lanes, t.query_groups, t.key_groups,
                               t.chunks, t.chunk_blocks};
            ASSERT_LE(tile.shared_bytes(head), device.limits().shared_bytes);
            const Tensor q = random_tensor(2, 37, 2 * head, Type::f16);
            const Tensor k = random_tensor(2, t.keys, 2 * head, Type::f16);
            const Tensor v = random_tensor(2, t.keys, 2 * head, Type::f16);
            // Scores that lie close together, and such that the largest grows by powers of ten.
            for (const float scale : {0.3f, 6.0f}) {
                const Heads heads{2, scale};
                const auto expected =
                    plain([&](Commands& c) { return attention(c, q, k, v, heads); });
                for (const bool online : {false, true}) {
                    tile.online = online;
                    const auto result = run([&](Commands& c) {
                        const Tensor y = c.scratch(2, 37, 2 * head, Type::f16);
                        attention_on_matrices(c, y, {q, k, v}, heads, tile);
                        return y;
                    });
                    EXPECT_LT(relative_error(result, expected), tolerance(Type::f16))
                        << t.keys << " keys in rounds of " << 16 * tile.blocks() << ", heads of "
                        << head << (online ? ", once" : ", twice") << ", scale " << scale;
                }
            }
        }
}

}  // namespace
}  // namespace saccade
