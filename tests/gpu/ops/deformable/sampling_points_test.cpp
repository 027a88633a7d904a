#include "gpu/ops/deformable.h"
#include "tests/gpu/ops/deformable/sampling_reference.h"
#include "tests/gpu_test.h"

namespace saccade {
namespace {

using SamplingPointsTest = GpuTest;

TEST_F(SamplingPointsTest, says_where_the_points_lie_and_what_they_weigh) {
    const Sampling sampling{{3, 1}, 0.25f, false};
    PlainSampling plain{5, 3, sampling, random(5 * 3 * 4 * 2), random(5 * 3 * 4), random(5 * 4)};
    const SamplingQueries queries{tensor(1, 5, 24, Type::f32, plain.offsets),
                                  tensor(1, 5, 12, Type::f32, plain.weights),
                                  tensor(1, 5, 4, Type::f32, plain.boxes)};
    std::vector<float> places, shares;
    for (uint32_t query = 0; query < 5; ++query)
        for (uint32_t head = 0; head < 3; ++head)
            for (uint32_t point = 0; point < 4; ++point) {
                for (uint32_t axis : {0u, 1u})
                    places.push_back(plain.place(query, head, point, axis));
                shares.push_back(plain.share(query, head, point));
            }
    EXPECT_LT(relative_error(
                  run([&](Commands& c) { return sampling_points(c, queries, 3, sampling).places; }),
                  places),
              1e-5);
    EXPECT_LT(relative_error(
                  run([&](Commands& c) { return sampling_points(c, queries, 3, sampling).shares; }),
                  shares),
              1e-5);
}

}  // namespace
}  // namespace saccade
