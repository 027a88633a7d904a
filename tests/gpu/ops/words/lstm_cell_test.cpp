#include <cmath>

#include "gpu/ops/words.h"
#include "tests/gpu_test.h"

namespace saccade {
namespace {

class LstmCellTest : public GpuTest {
protected:
    struct Results {
        std::vector<float> c, h, y;
    };
    static double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

    // One run for each of the three, since a run gives one tensor.
    Results cell(const Tensor& gates, const Tensor& before, Type type) {
        Results all;
        for (std::vector<float>* part : {&all.c, &all.h, &all.y})
            *part = run([&](Commands& r) {
                auto make = [&](Type as) {
                    return r.scratch(before.batch, before.rows, before.columns, as);
                };
                const LstmState to{make(Type::f32), make(Type::f32), make(type)};
                lstm_cell(r, to, gates, before);
                return part == &all.c ? to.c : part == &all.h ? to.h : to.y;
            });
        return all;
    }
};

TEST_F(LstmCellTest, matches_plain_loops_at_odd_sizes) {
    struct Case {
        uint32_t batch, rows, columns;
    };
    for (Type type : {Type::f32, Type::f16})
        for (const Case& c : {Case{1, 1, 1}, Case{3, 1, 20}, Case{2, 5, 192}}) {
            const uint32_t wide = padded(c.columns), rows = c.batch * c.rows;
            const std::vector<float> gates = random(size_t(rows) * 4 * wide);
            const std::vector<float> before = random(size_t(rows) * c.columns);
            std::vector<float> cells, outputs;
            for (uint32_t row = 0; row < rows; ++row)
                for (uint32_t i = 0; i < c.columns; ++i) {
                    auto gate = [&](uint32_t which) {
                        return 4 * double(gates[size_t(row) * 4 * wide + which * wide + i]);
                    };
                    const double cell =
                        sigmoid(gate(1)) * double(before[size_t(row) * c.columns + i]) +
                        sigmoid(gate(0)) * std::tanh(gate(2));
                    cells.push_back(static_cast<float>(cell));
                    outputs.push_back(static_cast<float>(sigmoid(gate(3)) * std::tanh(cell)));
                }
            std::vector<float> larger = gates;
            for (float& gate : larger) gate *= 4;
            const Results got = cell(tensor(c.batch, c.rows, 4 * wide, Type::f32, larger),
                                     tensor(c.batch, c.rows, c.columns, Type::f32, before), type);
            EXPECT_LT(relative_error(got.c, cells), 1e-5);
            EXPECT_LT(relative_error(got.h, outputs), 1e-5);
            EXPECT_LT(relative_error(got.y, outputs), tolerance(type));
        }
}

TEST_F(LstmCellTest, huge_gates_give_numbers) {
    std::vector<float> gates(32);
    for (size_t i = 0; i < gates.size(); ++i) gates[i] = i % 2 ? 1e6f : -1e6f;
    const Results got = cell(tensor(1, 1, 32, Type::f32, gates),
                             tensor(1, 1, 8, Type::f32, std::vector<float>(8, 1e6f)), Type::f16);
    for (float value : got.y) EXPECT_LE(std::abs(value), 1.0f);
    for (float value : got.c) EXPECT_TRUE(std::isfinite(value));
}

TEST_F(LstmCellTest, refuses_shapes_that_do_not_fit) {
    const Tensor before = random_tensor(2, 1, 12, Type::f32);
    begin();
    const Tensor c = poisoned(2, 1, 12, Type::f32), h = poisoned(2, 1, 12, Type::f32);
    EXPECT_THROW(lstm_cell(commands, {c, h, h}, random_tensor(2, 1, 48, Type::f32), before), Error);
    EXPECT_THROW(lstm_cell(commands, {c, h, poisoned(2, 1, 8, Type::f32)},
                           random_tensor(2, 1, 64, Type::f32), before),
                 Error);
    finish();
}

}  // namespace
}  // namespace saccade
