#include <cmath>

#include "gpu/ops/norms.h"

#include "tests/gpu_test.h"

namespace saccade {
namespace {

class PostNormTest : public GpuTest {
protected:
    struct Case {
        uint32_t batch, rows, columns;
        size_t size() const { return size_t(batch) * rows * columns; }
    };
    struct Inputs {
        std::vector<float> x, weight, bias, positions;
        Tensor tx, tp;
        Norm norm;
    };
    Inputs make(const Case& c) {
        Inputs in;
        in.x = random(c.size());
        for (float& value : in.x) value += 3;  // a mean that is not 0
        in.weight = random(c.columns);
        in.bias = random(c.columns);
        in.positions = random(size_t(c.rows) * c.columns);
        in.tx = tensor(c.batch, c.rows, c.columns, Type::f32, in.x);
        in.tp = tensor(1, c.rows, c.columns, Type::f32, in.positions);
        in.norm = {tensor(1, 1, c.columns, Type::f32, in.weight),
                   tensor(1, 1, c.columns, Type::f32, in.bias)};
        return in;
    }
    static std::vector<float> reference(const Inputs& in) {
        const size_t columns = in.weight.size();
        std::vector<float> y;
        for (size_t row = 0; row < in.x.size(); row += columns) {
            const auto values = std::span(in.x).subspan(row, columns);
            double mean = 0, variance = 0;
            for (float v : values) mean += double(v) / double(columns);
            for (float v : values)
                variance += (double(v) - mean) * (double(v) - mean) / double(columns);
            for (size_t j = 0; j < columns; ++j)
                y.push_back(static_cast<float>((double(values[j]) - mean) /
                                                   std::sqrt(variance + double(in.norm.eps)) *
                                                   double(in.weight[j]) +
                                               double(in.bias[j])));
        }
        return y;
    }
    // Every batch has the same positions.
    static std::vector<float> placed(std::vector<float> y, const Inputs& in) {
        for (size_t i = 0; i < y.size(); ++i) y[i] += in.positions[i % in.positions.size()];
        return y;
    }
};

constexpr Type types[] = {Type::f32, Type::f16};

TEST_F(PostNormTest, writes_the_stream_and_all_that_is_read_of_it_next) {
    for (const Case& c : {Case{1, 1, 1}, Case{1, 50, 256}, Case{3, 5, 333}, Case{2, 7, 20}})
        for (Type type : types) {
            const Inputs in = make(c);
            const Tensor y = poisoned(c.batch, c.rows, c.columns, type);
            const Tensor at = poisoned(c.batch, c.rows, c.columns, type);
            begin();
            post_norm(commands, in.tx, in.norm, {y, at, in.tp});
            EXPECT_EQ(commands.counts().dispatches, 1u);
            finish();
            const std::vector<float> want = reference(in);
            for (const Tensor* t : {&in.tx, &y, &at}) expect_zero_padding(*t);
            EXPECT_LT(relative_error(values(in.tx), want), 1e-5) << in.tx.shape();
            EXPECT_LT(relative_error(values(y), want), tolerance(type)) << y.shape();
            EXPECT_LT(relative_error(values(at), placed(want, in)), tolerance(type)) << at.shape();
        }
}

TEST_F(PostNormTest, leaves_out_what_nobody_wants) {
    const Case c{2, 5, 40};
    for (Type type : types) {
        auto expect_all = [&](bool copied, bool moved) {
            const Inputs in = make(c);
            const Tensor y = poisoned(c.batch, c.rows, c.columns, type);
            const Tensor at = poisoned(c.batch, c.rows, c.columns, type);
            begin();
            post_norm(commands, in.tx, in.norm,
                      {copied ? y : Tensor{}, moved ? at : Tensor{}, moved ? in.tp : Tensor{}});
            finish();
            const std::vector<float> want = reference(in);
            EXPECT_LT(relative_error(values(in.tx), want), 1e-5);
            if (copied) {
                EXPECT_LT(relative_error(values(y), want), tolerance(type));
            }
            if (moved) {
                EXPECT_LT(relative_error(values(at), placed(want, in)), tolerance(type));
            }
        };
        expect_all(true, false);
        expect_all(false, true);
        expect_all(false, false);
    }
}

TEST_F(PostNormTest, the_stream_may_be_what_products_want) {
    const Inputs in = make({2, 5, 40});
    const Tensor at = poisoned(2, 5, 40, Type::f32);
    begin();
    post_norm(commands, in.tx, in.norm, {in.tx, at, in.tp});
    finish();
    const std::vector<float> want = reference(in);
    EXPECT_LT(relative_error(values(in.tx), want), 1e-5);
    EXPECT_LT(relative_error(values(at), placed(want, in)), 1e-5);
}

TEST_F(PostNormTest, every_batch_may_have_positions_of_its_own) {
    const Inputs in = make({2, 5, 40});
    const std::vector<float> positions = random(in.x.size());
    const Tensor at = poisoned(2, 5, 40, Type::f32);
    begin();
    post_norm(commands, in.tx, in.norm, {{}, at, tensor(2, 5, 40, Type::f32, positions)});
    finish();
    std::vector<float> want = reference(in);
    for (size_t i = 0; i < want.size(); ++i) want[i] += positions[i];
    EXPECT_LT(relative_error(values(at), want), 1e-5);
}

TEST_F(PostNormTest, some_rows_of_every_batch_leave_the_others_alone) {
    const Inputs in = make({2, 6, 24});
    const Tensor y = poisoned(2, 3, 24, Type::f16);
    begin();
    post_norm(commands, in.tx.slice_rows(2, 3), in.norm, {y, {}, {}});
    finish();
    std::vector<float> all = in.x, rows;
    const std::vector<float> want = reference(in);
    for (size_t i = 0; i < all.size(); ++i)
        if (const size_t row = i / 24 % 6; row >= 2 && row < 5) {
            all[i] = want[i];
            rows.push_back(want[i]);
        }
    EXPECT_LT(relative_error(values(in.tx), all), 1e-5);
    EXPECT_LT(relative_error(values(y), rows), tolerance(Type::f16));
}

TEST_F(PostNormTest, refuses_what_does_not_fit) {
    const Inputs in = make({2, 5, 40});
    const Tensor y = poisoned(2, 5, 40, Type::f16), at = poisoned(2, 5, 40, Type::f32);
    const Tensor few = poisoned(2, 4, 40, Type::f16);
    begin();
    EXPECT_THROW(post_norm(commands, y, in.norm, {}), Error) << "a stream in half precision";
    EXPECT_THROW(post_norm(commands, in.tx, in.norm, {few, {}, {}}), Error);
    EXPECT_THROW(post_norm(commands, in.tx, in.norm, {{}, few, in.tp}), Error);
    EXPECT_THROW(post_norm(commands, in.tx, in.norm, {{}, at, {}}), Error) << "no positions";
    const Tensor three = poisoned(3, 5, 40, Type::f32);
    EXPECT_THROW(post_norm(commands, in.tx, in.norm, {{}, at, three}), Error) << "three batches";
    EXPECT_THROW(post_norm(commands, in.tx, in.norm, {y, at, in.tp}), Error) << "two types";
    finish();
}

}  // namespace
}  // namespace saccade
