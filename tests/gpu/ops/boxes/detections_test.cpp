#include <algorithm>
#include <cmath>
#include <limits>

#include "gpu/ops/boxes.h"
#include "tests/gpu_test.h"

namespace saccade {
namespace {

class DetectionsTest : public GpuTest {
protected:
    static std::vector<float> reference(std::span<const float> logits, std::span<const float> boxes,
                                        size_t queries, size_t columns, Size picture) {
        std::vector<float> result;
        for (size_t query = 0; query < boxes.size() / 4; ++query) {
            const auto row = logits.subspan(query * columns, columns);
            const size_t label = size_t(std::max_element(row.begin(), row.end() - 1) - row.begin());
            double total = 0;
            for (float v : row) total += std::exp(double(v) - double(row[label]));
            const auto box = boxes.subspan(query * 4, 4);
            const double x = box[0], y = box[1], w = box[2], h = box[3];
            for (double v :
                 {(x - w / 2) * picture.x, (y - h / 2) * picture.y, (x + w / 2) * picture.x,
                  (y + h / 2) * picture.y, 1 / total, double(label), double(query % queries)})
                result.push_back(static_cast<float>(v));
        }
        return result;
    }
    std::vector<float> on_device(const Tensor& logits, const Tensor& boxes, Size picture) {
        return run([&](Commands& c) {
            const Tensor y = c.scratch(logits.batch, logits.rows, 7, Type::f32);
            detections_into(c, y, logits, boxes, logits.columns - 1, picture);
            return y;
        });
    }
};

TEST_F(DetectionsTest, matches_plain_loops_at_odd_sizes) {
    struct Case {
        uint32_t batch, queries, columns;
    };
    for (const Case& c : {Case{1, 1, 2}, Case{1, 100, 92}, Case{2, 7, 13}, Case{3, 5, 257}}) {
        std::vector<float> logits = random(size_t(c.batch) * c.queries * c.columns);
        for (float& v : logits) v *= 10;
        const std::vector<float> boxes = random(size_t(c.batch) * c.queries * 4);
        const auto got = on_device(tensor(c.batch, c.queries, c.columns, Type::f32, logits),
                                   tensor(c.batch, c.queries, 4, Type::f32, boxes), {640, 480});
        EXPECT_LT(relative_error(got, reference(logits, boxes, c.queries, c.columns, {640, 480})),
                  1e-6)
            << c.queries << " queries, " << c.columns << " columns";
        // Labels and scores are small compared with pixels, so they are compared separately.
        const auto want = reference(logits, boxes, c.queries, c.columns, {640, 480});
        for (size_t i = 0; i < want.size(); i += 7) {
            EXPECT_NEAR(got[i + 4], want[i + 4], 1e-6);
            EXPECT_EQ(got[i + 5], want[i + 5]);
            EXPECT_EQ(got[i + 6], want[i + 6]);
        }
    }
}

TEST_F(DetectionsTest, no_object_takes_its_share_and_is_never_found) {
    const Tensor boxes = tensor(1, 1, 4, Type::f32, std::vector<float>{0.5f, 0.5f, 1, 1});
    const auto got =
        on_device(tensor(1, 1, 3, Type::f32, std::vector<float>{1, 2, 7}), boxes, {1, 1});
    EXPECT_EQ(got[5], 1);
    EXPECT_NEAR(got[4], std::exp(-5.0) / (1 + std::exp(-5.0) + std::exp(-6.0)), 1e-6);
}

TEST_F(DetectionsTest, without_such_a_column_every_class_can_be_found) {
    const Tensor boxes = tensor(1, 1, 4, Type::f32, std::vector<float>{0.5f, 0.5f, 1, 1});
    const Tensor logits = tensor(1, 1, 3, Type::f32, std::vector<float>{1, 2, 7});
    const auto got = run([&](Commands& c) {
        const Tensor y = c.scratch(1, 1, 7, Type::f32);
        detections_into(c, y, logits, boxes, 3, {1, 1});
        return y;
    });
    EXPECT_EQ(got[5], 2);
}

TEST_F(DetectionsTest, of_equal_classes_the_first_is_found) {
    const Tensor boxes = tensor(1, 2, 4, Type::f32, random(8));
    std::vector<float> logits(2 * 300, 0.25f);
    logits[300 + 7] = logits[300 + 200] = 3;
    const auto got = on_device(tensor(1, 2, 300, Type::f32, logits), boxes, {10, 10});
    EXPECT_EQ(got[5], 0);
    EXPECT_EQ(got[7 + 5], 7);
}

TEST_F(DetectionsTest, large_logits_do_not_overflow) {
    const Tensor boxes = tensor(1, 1, 4, Type::f32, random(4));
    const auto got = on_device(
        tensor(1, 1, 4, Type::f32, std::vector<float>{-1e30f, 1e30f, 0, -1e30f}), boxes, {10, 10});
    EXPECT_EQ(got[4], 1);
    EXPECT_EQ(got[5], 1);
}

TEST_F(DetectionsTest, not_a_number_scores_nothing) {
    const Tensor boxes = tensor(1, 1, 4, Type::f32, random(4));
    const Tensor logits = tensor(1, 1, 3, Type::f32, std::vector<float>{1, NAN, 0});
    begin();
    const Tensor y = poisoned(1, 1, 7, Type::f32);
    detections_into(commands, y, logits, boxes, 2, {10, 10});
    finish();
    EXPECT_FALSE(values(y)[4] > 0.0f);
}

TEST_F(DetectionsTest, refuses_shapes_and_types_that_do_not_fit) {
    const Tensor logits = random_tensor(1, 5, 9, Type::f32);
    const Tensor boxes = random_tensor(1, 5, 4, Type::f32), y = poisoned(1, 5, 7, Type::f32);
    begin();
    auto refuses = [&](const Tensor& into, const Tensor& from, const Tensor& at, uint32_t classes) {
        EXPECT_THROW(detections_into(commands, into, from, at, classes, {1, 1}), Error);
    };
    refuses(poisoned(1, 4, 7, Type::f32), logits, boxes, 8);
    refuses(poisoned(1, 5, 6, Type::f32), logits, boxes, 8);
    refuses(y, logits, random_tensor(1, 5, 3, Type::f32), 8);
    refuses(y, logits, boxes, 0);
    refuses(y, logits, boxes, 10);
    refuses(y, random_tensor(1, 5, 9, Type::f16), boxes, 8);
    finish();
}

}  // namespace
}  // namespace saccade
