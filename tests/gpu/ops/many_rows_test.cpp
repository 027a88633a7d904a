// Operations that give each row workgroups of its own, on more rows than a dispatch has workgroups.
// The second half of the rows repeats the first, and so must the results.

#include <functional>

#include "gpu/ops/elementwise.h"
#include "gpu/ops/norms.h"
#include "gpu/ops/rows.h"
#include "tests/gpu_test.h"

namespace saccade {
namespace {

using ManyRowsTest = GpuTest;

TEST_F(ManyRowsTest, are_all_worked_on) {
    constexpr uint32_t half = 35'000, columns = 16;
    std::vector<float> values = random(size_t(half) * columns);
    const Tensor few = tensor(1, half, columns, Type::f32, values);
    values.reserve(2 * values.size());
    values.insert(values.end(), values.begin(), values.begin() + half * columns);
    const Tensor many = tensor(1, 2 * half, columns, Type::f32, values);
    const Norm norm{random_tensor(1, 1, columns, Type::f32),
                    random_tensor(1, 1, columns, Type::f32)};
    const RmsNorm rms{random_tensor(1, 1, columns, Type::f32)};

    const std::pair<const char*, std::function<Tensor(Commands&, const Tensor&)>> operations[] = {
        {"add", [&](Commands& c, const Tensor& x) { return add(c, x, x, Type::f32); }},
        {"copy",
         [&](Commands& c, const Tensor& x) {
             const Tensor y = c.scratch(1, x.rows, columns, Type::f16);
             copy(c, y, x);
             return y;
         }},
        {"softmax", [&](Commands& c, const Tensor& x) { return softmax(c, x); }},
        {"layer_norm",
         [&](Commands& c, const Tensor& x) { return layer_norm(c, x, norm, Type::f32); }},
        {"post_norm",
         [&](Commands& c, const Tensor& x) {
             const Tensor y = c.scratch(1, x.rows, columns, Type::f32);
             copy(c, y, x);
             post_norm(c, y, norm, {y, {}, {}});
             return y;
         }},
        {"norm_add",
         [&](Commands& c, const Tensor& x) {
             const Tensor y = c.scratch(1, x.rows, columns, Type::f32);
             copy(c, y, x);
             norm_add(c, y, x, norm, {});
             return y;
         }},
        {"group_norm",
         [&](Commands& c, const Tensor& x) { return group_norm(c, x, norm, 2, Activation::relu); }},
        {"multiply",
         [&](Commands& c, const Tensor& x) { return glu(c, x, columns / 2, Activation::silu); }},
        {"unit_rows",
         [&](Commands& c, const Tensor& x) { return unit_rows(c, x, 1e-6f, Type::f32); }},
        {"rms_norm", [&](Commands& c, const Tensor& x) { return rms_norm(c, x, rms, Type::f32); }},
    };
    for (const auto& [name, operation] : operations) {
        std::vector<float> twice = run([&](Commands& c) { return operation(c, few); });
        twice.reserve(2 * twice.size());
        twice.insert(twice.end(), twice.begin(), twice.end());
        const auto result = run([&](Commands& c) { return operation(c, many); });
        EXPECT_LT(relative_error(result, twice), 1e-5) << name;
    }
}

}  // namespace
}  // namespace saccade
