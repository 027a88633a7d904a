// Every tile and split of the kernels on shared memory, against the plain kernels, on any device:
// software Vulkan chooses none of them. It takes a second or two to compile each, so types take
// turns: a shape runs every tile, half of them in fp32 and the others in fp16.

#include "gpu/ops/attention.h"
#include "gpu/ops/attention/attention_tile.h"
#include "gpu/ops/elementwise.h"
#include "gpu/ops/products/kernels.h"
#include "tests/gpu/ops/products/every_tile.h"

namespace saccade {
namespace {

class TiledTest : public EveryTile {
protected:
    static bool has_turn(Type type, size_t number) {
        return (type == Type::f16) == (number % 2 == 1);
    }
    Tensor as_fp32(const Tensor& t) {
        return tensor(t.batch, t.rows, t.columns, Type::f32, values(t));
    }
};

TEST_F(TiledTest, products_of_every_tile_and_split_match_the_plain_kernel) {
    // Odd sizes, past the edge of the largest tile, and deep enough for every split.
    constexpr uint32_t rows = 133, columns = 139, depth = 1030;
    for (Type type : {Type::f32, Type::f16}) {
        const Tensor x = random_tensor(2, rows, depth, type);
        const Linear w{random_tensor(1, columns, depth, type),
                       random_tensor(1, 1, columns, Type::f32)};
        const auto expected =
            plain([&](Commands& c) { return linear(c, x, w, Activation::gelu_erf); });
        DeviceInfo many_cores = device.info();  // so that splits pay
        many_cores.limits.cores = 132;
        const auto tiles = product_tiles(many_cores, {2, rows, columns, depth});
        uint32_t most_splits = 0;
        for (size_t i = 0; i < tiles.size(); ++i) {
            const ProductTile& tile = tiles[i];
            most_splits = std::max(most_splits, tile.splits);
            if (!has_turn(type, i)) continue;
            const auto result = run([&](Commands& c) {
                const Tensor y = c.scratch(2, rows, columns, type);
                linear_tiled(c, y, x, w, {Activation::gelu_erf}, tile);
                return y;
            });
            EXPECT_LT(relative_error(result, expected), tolerance(type)) << text(tile);
        }
        EXPECT_GE(tiles.size(), 9u);
        EXPECT_EQ(most_splits, 4u);
    }
}

TEST_F(TiledTest, products_add_to_what_is_there) {
    const Tensor x = random_tensor(1, 40, 520, Type::f16);
    const Linear w{random_tensor(1, 72, 520, Type::f16), random_tensor(1, 1, 72, Type::f32)};
    const Tensor before = random_tensor(1, 40, 72, Type::f32);
    auto with = [&](const auto& add) {
        return [&](Commands& c) {
            const Tensor y = c.scratch(1, 40, 72, Type::f32);
            copy(c, y, before);
            add(c, y);
            return y;
        };
    };
    const auto expected =
        plain(with([&](Commands& c, const Tensor& y) { linear_add(c, y, x, w); }));
    for (const ProductTile& tile : product_tiles(device.info(), {1, 40, 72, 520})) {
        const auto result = run(with([&](Commands& c, const Tensor& y) {
            linear_tiled(c, y, x, w, {.accumulate = true}, tile);
        }));
        EXPECT_LT(relative_error(result, expected), tolerance(Type::f16)) << text(tile);
    }
}

TEST_F(TiledTest, convolutions_of_every_tile_and_split_match_the_plain_kernel) {
    struct Case {
        Size size;
        uint32_t in, out, kernel, stride, padding, dilation;
    };
    for (const Case& t : {Case{{13, 11}, 62, 70, 3, 1, 1, 1}, Case{{19, 23}, 3, 130, 7, 2, 3, 1},
                          Case{{30, 9}, 40, 24, 3, 1, 2, 2}, Case{{12, 12}, 300, 65, 1, 1, 0, 1},
                          Case{{25, 13}, 300, 70, 1, 2, 0, 1}, Case{{11, 9}, 24, 40, 1, 1, 1, 1}})
        for (Type type : {Type::f32, Type::f16}) {
            Conv2d w;
            w.weight = random_tensor(1, t.out, t.kernel * t.kernel * padded(t.in), type);
            w.bias = random_tensor(1, 1, t.out, Type::f32);
            w.in = t.in;
            w.kernel = {t.kernel, t.kernel};
            w.stride = t.stride;
            w.padding = t.padding;
            w.dilation = t.dilation;
            const Tensor x = random_tensor(1, area(t.size), t.in, type);
            const auto expected =
                plain([&](Commands& c) { return conv2d(c, x, t.size, w, Activation::relu); });
            const uint32_t pixels = area(w.out_size(t.size));
            size_t number = t.out + t.in;  // tiles change types between shapes
            for (const ProductTile& tile :
                 product_tiles(device.info(), {1, pixels, t.out, w.weight.columns})) {
                if (!has_turn(type, number++)) continue;
                const auto result = run([&](Commands& c) {
                    const Tensor y = c.scratch(1, pixels, t.out, type);
                    conv2d_tiled(c, y, x, t.size, w, {Activation::relu}, tile);
                    return y;
                });
                EXPECT_LT(relative_error(result, expected), tolerance(type))
                    << text(tile) << ", kernel " << t.kernel << ", stride " << t.stride;
            }
        }
}

TEST_F(TiledTest, norms_and_products_of_few_rows_match_the_plain_kernels_in_every_tile) {
    struct Case {
        uint32_t rows, out, in;
    };
    // Columns that end within a workgroup's, rows longer than it has threads.
    for (const Case& t : {Case{1, 70, 333}, Case{7, 37, 300}})
        for (Type type : {Type::f32, Type::f16}) {
            const Tensor x = random_tensor(1, t.rows, t.in, Type::f32);
            const Norm norm{random_tensor(1, 1, t.in, Type::f32),
                            random_tensor(1, 1, t.in, Type::f32), 1e-5f};
            const Linear w{random_tensor(1, t.out, t.in, type),
                           random_tensor(1, 1, t.out, Type::f32)};
            const auto expected = plain([&](Commands& c) {
                return linear(c, layer_norm(c, x, norm, Type::f32), {as_fp32(w.weight), w.bias},
                              Activation::relu);
            });
            for (const RowTile& tile : row_tiles(t.rows)) {
                ASSERT_LE(tile.shared_bytes_with_rows(t.in), device.limits().shared_bytes);
                const auto result = run([&](Commands& c) {
                    const Tensor y = c.scratch(1, t.rows, t.out, Type::f32);
                    norm_linear_of_rows(c, y, x, norm, w, Activation::relu, tile);
                    return y;
                });
                EXPECT_LT(relative_error(result, expected), tolerance(Type::f32))
                    << t.rows << " x " << t.out << " x " << t.in << ", " << tile.threads
                    << " threads, " << tile.lanes << " lanes, " << name_of(type);
            }
        }
}

TEST_F(TiledTest, attention_of_every_block_matches_the_plain_kernel) {
    struct Case {
        uint32_t queries, keys, heads, head;
        bool causal;
    };
    const AttentionBlock blocks[] = {{64, 32, 32}, {128, 32, 32}, {128, 32, 64}, {64, 16, 16}};
    for (const Case& t :
         {Case{37, 70, 2, 64, false}, Case{9, 33, 3, 24, false}, Case{40, 52, 1, 64, true},
          Case{33, 33, 2, 8, true}, Case{17, 130, 1, 128, false}})
        for (Type type : {Type::f32, Type::f16}) {
            const Tensor q = random_tensor(2, t.queries, t.heads * t.head, type);
            const Tensor k = random_tensor(2, t.keys, t.heads * t.head, type);
            const Tensor v = random_tensor(2, t.keys, t.heads * t.head, type);
            const Heads heads{t.heads, 0.3f};
            const auto expected =
                plain([&](Commands& c) { return attention(c, q, k, v, heads, t.causal); });
            size_t tried = 0;
            for (const AttentionBlock& block : blocks) {
                if (block.shared_bytes(t.head) > device.limits().shared_bytes) continue;
                if (!has_turn(type, t.queries + tried++)) continue;
                const auto result = run([&](Commands& c) {
                    const Tensor y = c.scratch(2, t.queries, q.columns, type);
                    attention_tiled(c, y, {q, k, v}, heads, t.causal, block);
                    return y;
                });
                EXPECT_LT(relative_error(result, expected), tolerance(type))
                    << block.threads << " threads, " << block.queries << " queries, heads of "
                    << t.head;
            }
            EXPECT_GE(tried, t.head > 64 ? 1u : 3u);
        }
}

TEST_F(TiledTest, there_is_a_block_of_attention_for_every_head_within_32_kib) {
    Limits limits;
    limits.shared_bytes = 32 << 10;
    limits.workgroup_threads = 128;
    for (uint32_t head = 8; head <= 128; head += 8)
        for (uint32_t keys : {10u, 4000u}) {
            const auto block = choose_attention_block(limits, keys, head);
            ASSERT_TRUE(block) << head;
            EXPECT_LE(block->shared_bytes(head), limits.shared_bytes);
        }
}

}  // namespace
}  // namespace saccade
