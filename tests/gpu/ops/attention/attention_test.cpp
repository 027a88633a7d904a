#include <cmath>

#include "gpu/ops/attention.h"

#include "tests/gpu_test.h"

namespace saccade {
namespace {

class AttentionTest : public GpuTest {
protected:
    struct Case {
        uint32_t heads, size, queries, keys;
        uint32_t batch = 1;
        bool causal = false;
        float scale = 0;  // 0: one over the root of the head's size

        uint32_t columns() const { return heads * size; }
        Heads as_heads() const {
            return {heads, scale != 0.0f ? scale : 1.0f / std::sqrt(float(size))};
        }
        size_t query_elements() const { return size_t(batch) * queries * columns(); }
        size_t key_elements() const { return size_t(batch) * keys * columns(); }
    };
    friend std::ostream& operator<<(std::ostream& out, const Case& c) {
        return out << c.batch << " x " << c.queries << " queries, " << c.keys << " keys, "
                   << c.heads << " heads of " << c.size << (c.causal ? ", causal" : "");
    }
    struct Inputs {
        std::vector<float> q, k, v;
    };
    Inputs random_inputs(const Case& c, Type type) {
        return {random(c.query_elements(), type), random(c.key_elements(), type),
                random(c.key_elements(), type)};
    }
    std::vector<float> on_device(const Case& c, const Inputs& in, Type type) {
        const Tensor q = tensor(c.batch, c.queries, c.columns(), type, in.q);
        const Tensor k = tensor(c.batch, c.keys, c.columns(), type, in.k);
        const Tensor v = tensor(c.batch, c.keys, c.columns(), type, in.v);
        return run([&](Commands& r) { return attention(r, q, k, v, c.as_heads(), c.causal); });
    }
    static std::vector<float> reference(const Case& c, const Inputs& in) {
        std::vector<float> y(c.query_elements());
        std::vector<double> weight(c.keys);
        for (size_t b = 0; b < c.batch; ++b)
            for (size_t h = 0; h < c.heads; ++h)
                for (size_t i = 0; i < c.queries; ++i) {
                    const size_t seen = c.causal ? i + (c.keys - c.queries) + 1 : c.keys;
                    const size_t row = (b * c.queries + i) * c.columns() + h * c.size;
                    auto key = [&](size_t j) {
                        return (b * c.keys + j) * c.columns() + h * c.size;
                    };
                    double largest = -INFINITY, total = 0;
                    for (size_t j = 0; j < seen; ++j) {
                        weight[j] = 0;
                        for (size_t d = 0; d < c.size; ++d)
                            weight[j] += double(in.q[row + d]) * double(in.k[key(j) + d]);
                        weight[j] *= double(c.as_heads().scale);
                        largest = std::max(largest, weight[j]);
                    }
                    for (size_t j = 0; j < seen; ++j)
                        total += weight[j] = std::exp(weight[j] - largest);
                    for (size_t d = 0; d < c.size; ++d) {
                        double sum = 0;
                        for (size_t j = 0; j < seen; ++j)
                            sum += weight[j] * double(in.v[key(j) + d]);
                        y[row + d] = static_cast<float>(sum / total);
                    }
                }
        return y;
    }
    void expect_right(const Case& c, Type type, double allowed) {
        const Inputs in = random_inputs(c, type);
        EXPECT_LT(relative_error(on_device(c, in, type), reference(c, in)), allowed)
            << c << " " << name_of(type);
    }
};

TEST_F(AttentionTest, matches_plain_loops_for_heads_of_16_to_128_columns) {
    for (const Case& c : {Case{2, 16, 7, 7}, Case{5, 24, 197, 197}, Case{3, 40, 7, 7},
                          Case{2, 64, 7, 7}, Case{1, 128, 7, 7}})
        expect_right(c, Type::f32, tolerance(Type::f32));
}

TEST_F(AttentionTest, matches_plain_loops_in_half_precision) {
    for (const Case& c : {Case{5, 24, 197, 197}, Case{2, 64, 7, 7}, Case{1, 64, 1, 1}})
        expect_right(c, Type::f16, tolerance(Type::f16));
}

TEST_F(AttentionTest, takes_any_number_of_queries_and_keys) {
    for (const Case& c : {Case{5, 24, 1, 1}, Case{5, 24, 1, 197}, Case{5, 24, 197, 1},
                          Case{5, 24, 7, 10}, Case{5, 24, 10, 7}, Case{5, 24, 5, 333}})
        expect_right(c, Type::f32, tolerance(Type::f32));
}

TEST_F(AttentionTest, takes_thousands_of_keys) {
    for (const Case& c : {Case{1, 128, 5, 7000}, Case{1, 64, 1, 20000}})
        for (const Type type : {Type::f32, Type::f16}) expect_right(c, type, tolerance(type));
}

TEST_F(AttentionTest, one_query_or_a_few_match_plain_loops) {
    for (const Case& c :
         {Case{3, 64, 1, 577}, Case{2, 8, 1, 300}, Case{1, 128, 1, 40},
          Case{.heads = 2, .size = 24, .queries = 1, .keys = 20, .batch = 4}, Case{4, 16, 4, 197},
          Case{.heads = 2, .size = 40, .queries = 4, .keys = 600, .causal = true}})
        for (Type type : {Type::f32, Type::f16}) expect_right(c, type, tolerance(type));
}

TEST_F(AttentionTest, causal_queries_see_no_later_key) {
    for (const Case& c :
         {Case{.heads = 5, .size = 24, .queries = 7, .keys = 7, .causal = true},
          Case{.heads = 5, .size = 24, .queries = 50, .keys = 50, .batch = 2, .causal = true},
          Case{.heads = 5, .size = 24, .queries = 3, .keys = 10, .causal = true},
          Case{.heads = 5, .size = 24, .queries = 1, .keys = 9, .causal = true},
          Case{.heads = 5, .size = 24, .queries = 1, .keys = 1, .causal = true}})
        for (Type type : {Type::f32, Type::f16}) expect_right(c, type, tolerance(type));
}

TEST_F(AttentionTest, what_a_causal_query_cannot_see_does_not_change_a_bit_of_its_result) {
    const Case c{.heads = 5, .size = 24, .queries = 6, .keys = 11, .causal = true};
    Inputs in = random_inputs(c, Type::f32);
    const auto before = on_device(c, in, Type::f32);
    const size_t hidden = 8 * c.columns();  // queries 0, 1 and 2 see keys 0 to 7 at most
    for (size_t i = hidden; i < in.k.size(); ++i) in.k[i] = in.v[i] = 1000.0f;
    const auto after = on_device(c, in, Type::f32);
    for (size_t i = 0; i < 3 * c.columns(); ++i) ASSERT_EQ(before[i], after[i]) << i;
    EXPECT_NE(before.back(), after.back());
}

TEST_F(AttentionTest, reads_q_k_and_v_out_of_one_tensor_of_two_batches) {
    const Case c{.heads = 5, .size = 24, .queries = 17, .keys = 17, .batch = 2};
    for (Type type : {Type::f32, Type::f16}) {
        const Inputs in = random_inputs(c, type);
        std::vector<float> fused;
        for (size_t row = 0; row < size_t(c.batch) * c.queries; ++row)
            for (const auto* part : {&in.q, &in.k, &in.v}) {
                const auto from = part->begin() + std::ptrdiff_t(row * c.columns());
                fused.insert(fused.end(), from, from + c.columns());
            }
        const Tensor qkv = tensor(c.batch, c.queries, 3 * c.columns(), type, fused);
        const auto y = run([&](Commands& r) {
            return attention(r, qkv.slice_columns(0, c.columns()),
                             qkv.slice_columns(c.columns(), c.columns()),
                             qkv.slice_columns(2 * c.columns(), c.columns()), c.as_heads());
        });
        EXPECT_LT(relative_error(y, reference(c, in)), tolerance(type)) << name_of(type);
    }
}

TEST_F(AttentionTest, reads_some_rows_of_every_batch) {
    // The class token's query attends to the keys of its own picture.
    const Case c{.heads = 5, .size = 24, .queries = 1, .keys = 9, .batch = 2};
    const Inputs in = random_inputs(c, Type::f32);
    const uint32_t columns = c.columns();
    std::vector<float> rows(size_t(2) * 4 * columns, 50.0f);
    for (size_t b = 0; b < 2; ++b)
        std::copy_n(in.q.begin() + std::ptrdiff_t(b * columns), columns,
                    rows.begin() + std::ptrdiff_t((b * 4 + 2) * columns));
    const Tensor q = tensor(2, 4, columns, Type::f32, rows);
    const Tensor k = tensor(2, 9, columns, Type::f32, in.k);
    const Tensor v = tensor(2, 9, columns, Type::f32, in.v);
    const auto y =
        run([&](Commands& r) { return attention(r, q.slice_rows(2, 1), k, v, c.as_heads()); });
    EXPECT_LT(relative_error(y, reference(c, in)), 1e-5);
}

TEST_F(AttentionTest, large_scores_neither_overflow_nor_vanish) {
    // Scores reach some +-100 here, and exp(100) is no float.
    Case c{.heads = 5, .size = 24, .queries = 7, .keys = 50, .scale = 20.0f};
    for (Type type : {Type::f32, Type::f16}) {
        expect_right(c, type, type == Type::f32 ? 1e-4 : 1e-3);
        c.causal = true;
        c.queries = c.keys;
        expect_right(c, type, type == Type::f32 ? 1e-4 : 1e-3);
    }
}

TEST_F(AttentionTest, scores_in_the_millions_choose_the_largest) {
    // As with untrained weights, each query attends to a single key.
    const Case c{2, 32, 40, 70};
    for (Type type : {Type::f32, Type::f16}) {
        Inputs in = random_inputs(c, type);
        for (float& value : in.q) value *= 4096;
        for (float& value : in.k) value *= 4096;
        EXPECT_LT(relative_error(on_device(c, in, type), reference(c, in)), tolerance(type))
            << name_of(type);
    }
}

TEST_F(AttentionTest, all_scores_far_below_zero_still_give_a_mean) {
    // q . k = -60 for every key: equal scores give equal weights, however low they are.
    const Case c{.heads = 5, .size = 24, .queries = 5, .keys = 7, .scale = 1.0f};
    Inputs in = random_inputs(c, Type::f32);
    std::ranges::fill(in.q, 2.5f);
    std::ranges::fill(in.k, -1.0f);
    EXPECT_LT(relative_error(on_device(c, in, Type::f32), reference(c, in)), 1e-5);
}

TEST_F(AttentionTest, is_the_attention_map_times_v) {
    const Case c{.heads = 5, .size = 24, .queries = 9, .keys = 13, .batch = 2};
    for (Type type : {Type::f32, Type::f16}) {
        const Inputs in = random_inputs(c, type);
        const Tensor q = tensor(c.batch, c.queries, c.columns(), type, in.q);
        const Tensor k = tensor(c.batch, c.keys, c.columns(), type, in.k);
        const Tensor v = tensor(c.batch, c.keys, c.columns(), type, in.v);
        const auto y = run([&](Commands& r) { return attention(r, q, k, v, c.as_heads()); });
        const auto map = run([&](Commands& r) {
            const Tensor m = r.scratch(c.batch, c.heads * c.queries, c.keys, Type::f32);
            attention_map(r, m, q, k, c.as_heads(), {0, c.queries, 0, c.heads});
            return m;
        });
        std::vector<float> product(y.size());
        for (size_t b = 0; b < c.batch; ++b)
            for (size_t h = 0; h < c.heads; ++h)
                for (size_t i = 0; i < c.queries; ++i)
                    for (size_t d = 0; d < c.size; ++d) {
                        double sum = 0;
                        for (size_t j = 0; j < c.keys; ++j)
                            sum += double(map[((b * c.heads + h) * c.queries + i) * c.keys + j]) *
                                   double(in.v[(b * c.keys + j) * c.columns() + h * c.size + d]);
                        product[(b * c.queries + i) * c.columns() + h * c.size + d] =
                            static_cast<float>(sum);
                    }
        EXPECT_LT(relative_error(y, product), tolerance(type)) << name_of(type);
    }
}

TEST_F(AttentionTest, refuses_shapes_that_do_not_fit) {
    const Tensor x = random_tensor(1, 4, 120, Type::f32);
    const Tensor longer = random_tensor(1, 5, 120, Type::f32);
    const Tensor narrow = random_tensor(1, 4, 96, Type::f32);
    const Tensor half = random_tensor(1, 4, 120, Type::f16);
    const Tensor wide = random_tensor(1, 4, 272, Type::f32);
    const Tensor two = random_tensor(2, 4, 120, Type::f32);
    begin();
    EXPECT_THROW(attention(commands, x, x, x, {7, 1}), Error) << "120 columns in 7 heads";
    EXPECT_THROW(attention(commands, x, x, x, {0, 1}), Error) << "no heads";
    EXPECT_THROW(attention(commands, x, x, x, {10, 1}), Error) << "heads of 12";
    EXPECT_THROW(attention(commands, wide, wide, wide, {2, 1}), Error) << "heads of 136";
    EXPECT_THROW(attention(commands, x, narrow, narrow, {5, 1}), Error) << "narrower keys";
    EXPECT_THROW(attention(commands, x, x, longer, {5, 1}), Error) << "more values than keys";
    EXPECT_THROW(attention(commands, x, half, half, {5, 1}), Error) << "mixed types";
    EXPECT_THROW(attention(commands, x, two, two, {5, 1}), Error) << "more batches of keys";
    EXPECT_THROW(attention(commands, longer, x, x, {5, 1}, true), Error)
        << "causal with more queries than keys";
    finish();
}

TEST_F(AttentionTest, heads_of_q_may_share_those_of_k_and_v) {
    constexpr uint32_t heads = 6, sharing = 3, size = 16, keys = 13;
    for (Type type : {Type::f32, Type::f16})
        for (uint32_t queries : {1u, 3u, 13u}) {
            const Tensor q = random_tensor(1, queries, heads * size, type);
            const std::vector<float> kv = random(keys * 2 * heads / sharing * size, type);
            const uint32_t narrow = heads / sharing * size;
            const Tensor shared = tensor(1, keys, 2 * narrow, type, kv);
            // The same with each head of k and v written out for all that share it.
            std::vector<float> wide;
            for (uint32_t row = 0; row < keys; ++row)
                for (uint32_t part = 0; part < 2; ++part)
                    for (uint32_t column = 0; column < heads * size; ++column)
                        wide.push_back(kv[row * 2 * narrow + part * narrow +
                                          column / size / sharing * size + column % size]);
            const Tensor each = tensor(1, keys, 2 * heads * size, type, wide);
            const bool causal = queries > 1;
            const auto want = run([&](Commands& c) {
                return attention(c, q, each.slice_columns(0, heads * size),
                                 each.slice_columns(heads * size, heads * size), {heads, 0.25f},
                                 causal);
            });
            const auto got = run([&](Commands& c) {
                return attention(c, q, shared.slice_columns(0, narrow),
                                 shared.slice_columns(narrow, narrow), {heads, 0.25f, sharing},
                                 causal);
            });
            EXPECT_LT(relative_error(got, want), 1e-6) << queries << " queries";
        }
}

}  // namespace
}  // namespace saccade
