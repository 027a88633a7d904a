#include "tests/gpu_test.h"

#include "gpu/ops/elementwise.h"

namespace saccade {
namespace {

class AddTest : public GpuTest {
protected:
    // b may have fewer elements than a: then it is repeated.
    static std::vector<float> reference(std::span<const float> a, std::span<const float> b) {
        std::vector<float> y(a.size());
        for (size_t i = 0; i < a.size(); ++i) y[i] = a[i] + b[i % b.size()];
        return y;
    }
};

TEST_F(AddTest, matches_plain_loops_at_odd_sizes_in_every_pair_of_storage_types) {
    struct Case {
        uint32_t batch, rows, columns;
    };
    for (const Case& c : {Case{1, 1, 1}, Case{1, 197, 120}, Case{3, 5, 333}, Case{2, 1, 7}})
        for (Type in : {Type::f32, Type::f16})
            for (Type out : {Type::f32, Type::f16}) {
                const size_t count = size_t(c.batch) * c.rows * c.columns;
                const std::vector<float> a = random(count, in), b = random(count, in);
                const Tensor ta = tensor(c.batch, c.rows, c.columns, in, a);
                const Tensor tb = tensor(c.batch, c.rows, c.columns, in, b);
                const auto y = run([&](Commands& r) { return add(r, ta, tb, out); });
                EXPECT_LT(relative_error(y, reference(a, b)), out == Type::f32 ? 1e-7 : 1e-3)
                    << ta.shape() << " to " << name_of(out);
            }
}

TEST_F(AddTest, every_batch_meets_the_same_b_where_that_has_only_one) {
    // Position embeddings of three pictures.
    for (Type type : {Type::f32, Type::f16}) {
        const std::vector<float> a = random(3 * 17 * 24, type), b = random(17 * 24, type);
        const Tensor ta = tensor(3, 17, 24, type, a), tb = tensor(1, 17, 24, type, b);
        const auto y = run([&](Commands& r) { return add(r, ta, tb, type); });
        EXPECT_LT(relative_error(y, reference(a, b)), tolerance(type)) << name_of(type);
    }
}

TEST_F(AddTest, adds_in_place) {
    for (Type type : {Type::f32, Type::f16}) {
        const std::vector<float> a = random(2 * 5 * 19, type), b = random(5 * 19, type);
        const Tensor ta = tensor(2, 5, 19, type, a), tb = tensor(1, 5, 19, type, b);
        const auto y = run([&](Commands& r) {
            add_into(r, ta, ta, tb);
            return ta;
        });
        EXPECT_LT(relative_error(y, reference(a, b)), tolerance(type)) << name_of(type);
    }
    const std::vector<float> a = random(5 * 19), b = random(5 * 19);
    const Tensor ta = tensor(1, 5, 19, Type::f32, a), tb = tensor(1, 5, 19, Type::f32, b);
    const auto y = run([&](Commands& r) {
        add_into(r, tb, ta, tb);  // the second operand, too, may be the result
        return tb;
    });
    EXPECT_LT(relative_error(y, reference(a, b)), 1e-7);
}

TEST_F(AddTest, writes_only_the_rows_it_is_given) {
    const std::vector<float> a = random(2 * 24), b = random(24);
    const Tensor ta = tensor(2, 1, 24, Type::f32, a), tb = tensor(1, 1, 24, Type::f32, b);
    const Tensor ty = tensor(2, 3, 24, Type::f32, std::vector<float>(2 * 3 * 24, 9.0f));
    const auto y = run([&](Commands& r) {
        add_into(r, ty.slice_rows(1, 1), ta, tb);
        return ty;
    });
    for (uint32_t i = 0; i < 2; ++i)
        for (uint32_t j = 0; j < 24; ++j) {
            EXPECT_EQ(y[(i * 3 + 1) * 24 + j], a[i * 24 + j] + b[j]);
            EXPECT_EQ(y[(i * 3) * 24 + j], 9.0f);
            EXPECT_EQ(y[(i * 3 + 2) * 24 + j], 9.0f);
        }
}

TEST_F(AddTest, stores_what_fp16_cannot_hold_as_its_largest_number) {
    const Tensor a = tensor(1, 1, 2, Type::f16, std::vector<float>{60000.0f, -60000.0f});
    const auto y = run([&](Commands& r) { return add(r, a, a, Type::f16); });
    EXPECT_EQ(y, (std::vector<float>{65504.0f, -65504.0f}));
}

TEST_F(AddTest, refuses_shapes_that_do_not_fit) {
    const Tensor a = random_tensor(2, 4, 16, Type::f32);
    begin();
    EXPECT_THROW(add(commands, a, random_tensor(2, 4, 15, Type::f32), Type::f32), Error);
    EXPECT_THROW(add(commands, a, random_tensor(2, 1, 16, Type::f32), Type::f32), Error);
    EXPECT_THROW(add(commands, a, random_tensor(3, 4, 16, Type::f32), Type::f32), Error);
    EXPECT_THROW(add(commands, a, random_tensor(2, 4, 16, Type::f16), Type::f32), Error);
    EXPECT_THROW(add_into(commands, poisoned(1, 4, 16, Type::f32), a, a), Error);
    finish();
}

}  // namespace
}  // namespace saccade
