#include <cmath>

#include "gpu/ops/attention.h"
#include "tests/gpu_test.h"

namespace saccade {
namespace {

class RopeTest : public GpuTest {
protected:
    // Heads are padded in x and in the result.
    static std::vector<float> reference(const std::vector<float>& x,
                                        const std::vector<float>& table, uint32_t rows,
                                        uint32_t heads, uint32_t head) {
        std::vector<float> y(x.size(), 0.0f);
        const uint32_t stride = padded(head), pairs = head / 2;
        for (size_t row = 0; row < x.size() / (heads * stride); ++row)
            for (uint32_t h = 0; h < heads; ++h)
                for (uint32_t i = 0; i < pairs; ++i) {
                    const size_t at = (row * heads + h) * stride;
                    const double cosine = double(table[row % rows * head + i]);
                    const double sine = double(table[row % rows * head + pairs + i]);
                    const double low = double(x[at + i]), high = double(x[at + pairs + i]);
                    y[at + i] = static_cast<float>(low * cosine - high * sine);
                    y[at + pairs + i] = static_cast<float>(high * cosine + low * sine);
                }
        return y;
    }
};

TEST_F(RopeTest, turns_pairs_by_the_angles_of_their_row) {
    for (Type type : {Type::f32, Type::f16})
        for (uint32_t head : {8u, 6u, 12u, 64u, 128u}) {
            constexpr uint32_t batch = 2, rows = 5, heads = 3;
            const uint32_t columns = heads * padded(head);
            std::vector<float> x = random(size_t(batch) * rows * columns, type);
            for (size_t i = 0; i < x.size(); ++i)
                if (i % padded(head) >= head) x[i] = 0;
            std::vector<float> table(rows * head);
            for (uint32_t row = 0; row < rows; ++row)
                for (uint32_t i = 0; i < head / 2; ++i) {
                    const double angle = row * std::pow(10000.0, -2.0 * i / head);
                    table[row * head + i] = static_cast<float>(std::cos(angle));
                    table[row * head + head / 2 + i] = static_cast<float>(std::sin(angle));
                }
            const Tensor tx = tensor(batch, rows, columns, type, x);
            const Tensor tt = tensor(1, rows, head, Type::f32, table);
            const auto y = run([&](Commands& c) {
                rope(c, tx, {tt, heads, head});
                return tx;
            });
            EXPECT_LT(relative_error(y, reference(x, table, rows, heads, head)), tolerance(type))
                << "heads of " << head;
        }
}

TEST_F(RopeTest, refuses_heads_that_do_not_fit) {
    begin();
    const Tensor x = random_tensor(1, 4, 16, Type::f32), table = random_tensor(1, 4, 8, Type::f32);
    EXPECT_THROW(rope(commands, x, {table, 3, 8}), Error);
    EXPECT_THROW(rope(commands, x, {table, 2, 7}), Error);
    EXPECT_THROW(rope(commands, x, {random_tensor(1, 3, 8, Type::f32), 2, 8}), Error);
    finish();
}

TEST_F(RopeTest, leaves_other_rows_alone) {
    for (Type type : {Type::f32, Type::f16})
        for (const uint32_t size : {2u, 12u, 16u, 64u}) {
            const uint32_t heads = 3, rows = 7, first = 2, batch = 2, wide = padded(size);
            std::vector<float> x = random(size_t(batch) * rows * heads * wide, type);
            for (size_t i = 0; i < x.size(); ++i)
                if (i % wide >= size) x[i] = 0;  // as heads are padded
            const std::vector<float> turns = random(size_t(rows - first) * size);
            std::vector<float> want = x;
            for (size_t b = 0; b < batch; ++b)
                for (size_t r = first; r < rows; ++r)
                    for (size_t h = 0; h < heads; ++h)
                        for (size_t i = 0; i < size / 2; ++i) {
                            const size_t at = ((b * rows + r) * heads + h) * wide + i;
                            const float* turn = &turns[(r - first) * size];
                            const float c = turn[i], s = turn[size / 2 + i];
                            want[at] = x[at] * c - x[at + size / 2] * s;
                            want[at + size / 2] = x[at + size / 2] * c + x[at] * s;
                        }
            const Tensor y = tensor(batch, rows, heads * wide, type, x);
            const Tensor table = tensor(1, rows - first, size, Type::f32, turns);
            const auto got = run([&](Commands& c) {
                rope(c, y.slice_rows(first, rows - first), {table, heads, size});
                return y;
            });
            EXPECT_LT(relative_error(got, want), tolerance(type)) << "heads of " << size;
        }
}

TEST_F(RopeTest, refuses_shapes_that_do_not_fit) {
    const Tensor x = random_tensor(1, 6, 48, Type::f32), turns = random_tensor(1, 6, 16, Type::f32);
    begin();
    EXPECT_THROW(rope(commands, x, {turns, 4, 16}), Error);
    EXPECT_THROW(rope(commands, x, {turns, 3, 15}), Error);
    EXPECT_THROW(rope(commands, x.slice_rows(0, 5), {turns, 3, 16}), Error);
    finish();
}

}  // namespace
}  // namespace saccade
