#include <cmath>

#include "gpu/ops/attention.h"
#include "tests/gpu_test.h"

namespace saccade {
namespace {

class RotateTest : public GpuTest {
protected:
    // Heads lie padded in x and in what comes back.
    static std::vector<float> reference(const std::vector<float>& x, const std::vector<float>& table,
                                        uint32_t rows, uint32_t heads, uint32_t head) {
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

TEST_F(RotateTest, turns_pairs_by_the_angles_of_their_row) {
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
                rotate(c, tx, {tt, heads, head});
                return tx;
            });
            EXPECT_LT(relative_error(y, reference(x, table, rows, heads, head)), tolerance(type))
                << "heads of " << head;
        }
}

TEST_F(RotateTest, refuses_heads_that_do_not_fit) {
    begin();
    const Tensor x = random_tensor(1, 4, 16, Type::f32), table = random_tensor(1, 4, 8, Type::f32);
    EXPECT_THROW(rotate(commands, x, {table, 3, 8}), Error);
    EXPECT_THROW(rotate(commands, x, {table, 2, 7}), Error);
    EXPECT_THROW(rotate(commands, x, {random_tensor(1, 3, 8, Type::f32), 2, 8}), Error);
    finish();
}

}  // namespace
}  // namespace saccade
