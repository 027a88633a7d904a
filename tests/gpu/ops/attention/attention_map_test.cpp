#include <cmath>

#include "gpu/ops/attention.h"

#include "tests/gpu_test.h"

namespace saccade {
namespace {

class AttentionMapTest : public GpuTest {
protected:
    static constexpr uint32_t heads = 5, size = 24, columns = heads * size;
    static constexpr Heads five{heads, 0.25f};

    // The probabilities of the rows and heads of `range`, as attention_map lays them out.
    static std::vector<float> reference(const MapRange& range, const Heads& h, size_t batch,
                                        size_t queries, size_t keys, std::span<const float> q,
                                        std::span<const float> k) {
        const size_t all = q.size() / batch / queries, head_size = all / h.count;
        std::vector<float> map;
        std::vector<double> row(keys);
        for (size_t b = 0; b < batch; ++b)
            for (size_t head = range.first_head; head < range.first_head + range.heads; ++head)
                for (size_t i = range.first_row; i < range.first_row + range.rows; ++i) {
                    double largest = -INFINITY, total = 0;
                    for (size_t j = 0; j < keys; ++j) {
                        row[j] = 0;
                        for (size_t d = 0; d < head_size; ++d)
                            row[j] += double(q[(b * queries + i) * all + head * head_size + d]) *
                                      double(k[(b * keys + j) * all + head * head_size + d]);
                        row[j] *= double(h.scale);
                        largest = std::max(largest, row[j]);
                    }
                    for (double& score : row) total += score = std::exp(score - largest);
                    for (double score : row) map.push_back(static_cast<float>(score / total));
                }
        return map;
    }
    std::vector<float> on_device(const MapRange& range, const Heads& h, const Tensor& q,
                                 const Tensor& k) {
        return run([&](Commands& r) {
            const Tensor map = r.scratch(q.batch, range.heads * range.rows, k.rows, Type::f32);
            attention_map(r, map, q, k, h, range);
            return map;
        });
    }
};

TEST_F(AttentionMapTest, gives_every_head_and_row_at_odd_sizes_in_both_storage_types) {
    struct Case {
        uint32_t queries, keys;
    };
    for (const Case& c : {Case{1, 1}, Case{7, 7}, Case{2, 197}, Case{3, 333}, Case{197, 5}})
        for (Type type : {Type::f32, Type::f16}) {
            const std::vector<float> q = random(size_t(c.queries) * columns, type);
            const std::vector<float> k = random(size_t(c.keys) * columns, type);
            const MapRange all{0, c.queries, 0, heads};
            const auto map = on_device(all, five, tensor(1, c.queries, columns, type, q),
                                       tensor(1, c.keys, columns, type, k));
            EXPECT_LT(relative_error(map, reference(all, five, 1, c.queries, c.keys, q, k)), 1e-5)
                << c.queries << " x " << c.keys << " " << name_of(type);
        }
}

TEST_F(AttentionMapTest, gives_only_the_rows_and_heads_asked_for_of_each_batch) {
    const std::vector<float> q = random(2 * 9 * columns), k = random(2 * 13 * columns);
    const Tensor tq = tensor(2, 9, columns, Type::f32, q);
    const Tensor tk = tensor(2, 13, columns, Type::f32, k);
    for (const MapRange& range :
         {MapRange{0, 1, 0, heads}, MapRange{8, 1, 4, 1}, MapRange{3, 4, 1, 3}}) {
        EXPECT_LT(
            relative_error(on_device(range, five, tq, tk), reference(range, five, 2, 9, 13, q, k)),
            1e-5)
            << "rows from " << range.first_row << ", heads from " << range.first_head;
    }
}

TEST_F(AttentionMapTest, reads_q_and_k_out_of_one_tensor) {
    const std::vector<float> fused = random(2 * 7 * 3 * columns);
    std::vector<float> q, k;
    for (size_t row = 0; row < 2 * 7; ++row) {
        const auto at = fused.begin() + std::ptrdiff_t(row * 3 * columns);
        q.insert(q.end(), at, at + columns);
        k.insert(k.end(), at + columns, at + 2 * columns);
    }
    const Tensor qkv = tensor(2, 7, 3 * columns, Type::f32, fused);
    const MapRange range{2, 3, 1, 4};
    const auto map =
        on_device(range, five, qkv.slice_columns(0, columns), qkv.slice_columns(columns, columns));
    EXPECT_LT(relative_error(map, reference(range, five, 2, 7, 7, q, k)), 1e-5);
}

TEST_F(AttentionMapTest, large_scores_give_probabilities_that_sum_to_one) {
    const Heads sharp{heads, 20.0f};  // scores of some +-100
    for (Type type : {Type::f32, Type::f16}) {
        const std::vector<float> q = random(7 * columns, type), k = random(50 * columns, type);
        const MapRange all{0, 7, 0, heads};
        const auto map =
            on_device(all, sharp, tensor(1, 7, columns, type, q), tensor(1, 50, columns, type, k));
        EXPECT_LT(relative_error(map, reference(all, sharp, 1, 7, 50, q, k)), 1e-4);
        for (size_t row = 0; row < map.size(); row += 50) {
            double sum = 0;
            for (size_t j = 0; j < 50; ++j) sum += double(map[row + j]);
            EXPECT_NEAR(sum, 1.0, 1e-5);
        }
    }
}

TEST_F(AttentionMapTest, takes_heads_of_128_columns) {
    const Heads one{1, 0.1f};
    const std::vector<float> q = random(3 * 128), k = random(6 * 128);
    const MapRange all{0, 3, 0, 1};
    const auto map =
        on_device(all, one, tensor(1, 3, 128, Type::f32, q), tensor(1, 6, 128, Type::f32, k));
    EXPECT_LT(relative_error(map, reference(all, one, 1, 3, 6, q, k)), 1e-5);
}

TEST_F(AttentionMapTest, refuses_rows_and_heads_that_are_not_there) {
    const Tensor q = random_tensor(1, 9, columns, Type::f32);
    const Tensor k = random_tensor(1, 13, columns, Type::f32);
    const Tensor map = poisoned(1, 4, 13, Type::f32);
    begin();
    EXPECT_THROW(attention_map(commands, map, q, k, five, {6, 4, 0, 1}), Error);
    EXPECT_THROW(attention_map(commands, map, q, k, five, {0, 1, 2, 4}), Error);
    EXPECT_THROW(attention_map(commands, map, q, k, five, {0xffffffff, 4, 0, 1}), Error);
    EXPECT_THROW(attention_map(commands, map, q, k, five, {0, 3, 0, 1}), Error) << "map too large";
    EXPECT_THROW(attention_map(commands, map, k, q, five, {0, 4, 0, 1}), Error)
        << "map of other keys";
    EXPECT_THROW(attention_map(commands, poisoned(1, 4, 13, Type::f16), q, k, five, {0, 4, 0, 1}),
                 Error);
    finish();
}

}  // namespace
}  // namespace saccade
