#include "gpu/ops/deformable.h"
#include "tests/gpu/ops/deformable/sampling_reference.h"
#include "tests/gpu_test.h"

namespace saccade {
namespace {

class DeformableTest : public GpuTest {
protected:
    PlainSampling make(uint32_t queries, uint32_t heads, const Sampling& sampling) {
        const size_t points = size_t(queries) * heads * sampling.all_points();
        PlainSampling plain{queries,        heads,
                            sampling,       random(2 * points),
                            random(points), random(size_t(queries) * 4)};
        for (float& v : plain.offsets) v *= 5;  // some points lie outside of the picture
        for (float& v : plain.boxes) v = 0.5f + 0.4f * v;
        return plain;
    }
    SamplingQueries tensors_of(const PlainSampling& p) {
        const uint32_t points = p.heads * p.points();
        return {tensor(1, p.queries, 2 * points, Type::f32, p.offsets),
                tensor(1, p.queries, points, Type::f32, p.weights),
                tensor(1, p.queries, 4, Type::f32, p.boxes)};
    }
    static std::vector<float> reference(const PlainSampling& p, std::span<const float> values,
                                        const std::vector<Size>& levels, uint32_t head_size) {
        const uint32_t columns = p.heads * head_size;
        std::vector<float> y(size_t(p.queries) * columns);
        for (uint32_t query = 0; query < p.queries; ++query)
            for (uint32_t head = 0; head < p.heads; ++head)
                for (uint32_t point = 0; point < p.points(); ++point) {
                    const uint32_t level = p.level_of(point);
                    size_t first = 0;
                    for (uint32_t l = 0; l < level; ++l) first += area(levels[l]);
                    const Size size = levels[level];
                    const float px = p.place(query, head, point, 0) * float(size.x);
                    const float py = p.place(query, head, point, 1) * float(size.y);
                    auto add = [&](int x, int y_at, float weight) {
                        if (x < 0 || y_at < 0 || x >= int(size.x) || y_at >= int(size.y)) return;
                        const size_t cell = first + size_t(y_at) * size.x + size_t(x);
                        for (uint32_t i = 0; i < head_size; ++i)
                            y[size_t(query) * columns + head * head_size + i] +=
                                p.share(query, head, point) * weight *
                                values[cell * columns + head * head_size + i];
                    };
                    if (p.sampling.discrete) {
                        add(std::clamp(int(px + 0.5f), 0, int(size.x) - 1),
                            std::clamp(int(py + 0.5f), 0, int(size.y) - 1), 1);
                        continue;
                    }
                    const float fx = std::floor(px - 0.5f), fy = std::floor(py - 0.5f);
                    const float tx = px - 0.5f - fx, ty = py - 0.5f - fy;
                    for (int dy = 0; dy < 2; ++dy)
                        for (int dx = 0; dx < 2; ++dx)
                            add(int(fx) + dx, int(fy) + dy,
                                (dx ? tx : 1 - tx) * (dy ? ty : 1 - ty));
                }
        return y;
    }
};

TEST_F(DeformableTest, interpolates_between_cells_and_sees_nothing_outside) {
    struct Case {
        std::vector<Size> levels;
        std::vector<uint32_t> points;
        uint32_t queries, heads, head;
        bool discrete;
    };
    for (const Case& c :
         {Case{{{7, 5}, {4, 3}, {2, 2}}, {4, 4, 4}, 9, 4, 8, false},
          Case{{{9, 3}, {5, 2}}, {3, 6}, 5, 3, 12, false}, Case{{{1, 1}}, {2}, 2, 1, 4, false},
          Case{{{7, 5}, {4, 3}}, {2, 3}, 6, 2, 16, true}})
        for (Type type : {Type::f32, Type::f16}) {
            const PlainSampling plain = make(c.queries, c.heads, {c.points, 0.5f, c.discrete});
            uint32_t cells = 0;
            for (Size level : c.levels) cells += area(level);
            const std::vector<float> values = random(size_t(cells) * c.heads * c.head, type);
            const Tensor tv = tensor(1, cells, c.heads * c.head, type, values);
            const SamplingQueries queries = tensors_of(plain);
            const auto y = run([&](Commands& r) {
                return deformable(r, tv, c.levels, queries, c.heads, plain.sampling);
            });
            EXPECT_LT(relative_error(y, reference(plain, values, c.levels, c.head)),
                      tolerance(type))
                << c.levels.size() << " levels, " << name_of(type);
        }
}

TEST_F(DeformableTest, points_far_outside_are_no_numbers_too_large) {
    PlainSampling plain = make(1, 1, {{1}, 0.5f, false});
    plain.offsets = {1e30f, -1e30f};
    const Tensor values = random_tensor(1, 6, 8, Type::f32);
    const SamplingQueries queries = tensors_of(plain);
    const auto y = run([&](Commands& c) {
        return deformable(c, values, {{3, 2}}, queries, 1, plain.sampling);
    });
    EXPECT_EQ(y, std::vector<float>(8, 0.0f));
}

TEST_F(DeformableTest, refuses_shapes_that_do_not_fit) {
    const PlainSampling plain = make(3, 2, {{2, 2}, 0.5f, false});
    const SamplingQueries queries = tensors_of(plain);
    const Tensor values = random_tensor(1, 8, 16, Type::f32);
    begin();
    EXPECT_THROW(deformable(commands, values, {{2, 2}}, queries, 2, plain.sampling), Error);
    EXPECT_THROW(deformable(commands, values, {{2, 2}, {3, 3}}, queries, 2, plain.sampling), Error);
    EXPECT_THROW(deformable(commands, values, {{2, 2}, {2, 2}}, queries, 4, plain.sampling), Error);
    finish();
}

}  // namespace
}  // namespace saccade
