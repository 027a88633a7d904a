#include "models/attention/patch_features.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "gpu/ops/elementwise.h"
#include "tests/gpu_test.h"

namespace saccade {
namespace {

// A class token and two registers of huge norm before the cells of a map.
class PatchFeaturesTest : public GpuTest {
protected:
    static constexpr uint32_t columns = 24, prefix = 3;
    const TokenLayout layout{.grid = {7, 5}, .first_cell = prefix};

    // Cells of three kinds with slight variations, shifted by `moved` cells.
    std::vector<float> features(uint32_t moved = 0) {
        std::vector<float> x = random(size_t(prefix + 35) * columns);
        for (size_t i = 0; i < x.size(); ++i) x[i] *= i < prefix * columns ? 1e4f : 0.05f;
        const float apart[] = {3, 1.5f, 0.75f};
        for (uint32_t cell = 0; cell < 35; ++cell) {
            const uint32_t kind = kind_of(cell + moved);
            x[(prefix + cell) * columns + kind] += apart[kind];
        }
        return x;
    }
    static uint32_t kind_of(uint32_t cell) { return cell * cell / 5 % 3; }

    std::vector<float> with_tap(const std::vector<float>& x,
                                const std::function<Tensor(Commands&, const Tap&)>& work) {
        Tap tap({}, false, true);
        const Tensor tx = tensor(1, prefix + 35, columns, Type::f32, x);
        return run([&](Commands& c) {
            tap.features(c, tx);
            return work(c, tap);
        });
    }
    std::vector<float> colours(PatchColours& from, const std::vector<float>& x) {
        return with_tap(x,
                        [&](Commands& c, const Tap& tap) { return from.record(c, tap, layout); });
    }
    static double distance(const std::vector<float>& maps, uint32_t a, uint32_t b) {
        double sum = 0;
        for (size_t k = 0; k < 3; ++k)
            sum += std::abs(double(maps[35 * k + a]) - double(maps[35 * k + b]));
        return sum;
    }
};

TEST_F(PatchFeaturesTest, cells_of_one_kind_are_alike_and_others_are_not) {
    const std::vector<float> x = features();
    const auto all =
        with_tap(x, [&](Commands& c, const Tap& tap) { return similarities(c, tap, layout); });
    ASSERT_EQ(all.size(), 35u * 35);
    for (uint32_t cell : {0u, 17u, 34u}) {
        const auto map = with_tap(x, [&](Commands& c, const Tap& tap) {
            return similarity_map(c, tap, layout, prefix + cell);
        });
        for (uint32_t other = 0; other < 35; ++other) {
            EXPECT_NEAR(map[other], all[cell * 35 + other], 1e-5) << "one row of the whole";
            if (kind_of(cell) == kind_of(other))
                EXPECT_GT(map[other], 0.9f) << cell << ", " << other;
            else
                EXPECT_LT(map[other], 0.4f) << cell << ", " << other;
        }
        EXPECT_NEAR(map[cell], 1, 1e-5);
    }
}

TEST_F(PatchFeaturesTest, a_thing_keeps_its_colour_when_it_moves) {
    PatchColours carried(device);
    const std::vector<float> first = colours(carried, features());
    for (float v : first) EXPECT_TRUE(v >= 0 && v <= 1) << v;
    for (uint32_t a = 0; a < 35; ++a)
        for (uint32_t b = 0; b < 35; ++b) {
            if (kind_of(a) == kind_of(b))
                EXPECT_LT(distance(first, a, b), 1.5) << a << ", " << b;
            else
                EXPECT_GT(distance(first, a, b), 0.3) << a << ", " << b;
        }
    // They move by one cell per frame.
    for (uint32_t frame = 1; frame <= 6; ++frame) {
        const std::vector<float> now = colours(carried, features(frame));
        double apart = 0;
        for (uint32_t cell = 0; cell + frame < 35; ++cell)
            for (size_t k = 0; k < 2; ++k)  // the third has only noise to tell
                apart +=
                    std::abs(double(now[35 * k + cell]) - double(first[35 * k + cell + frame]));
        EXPECT_LT(apart / (2 * (35 - frame)), 0.25) << "frame " << frame;
    }
}

TEST_F(PatchFeaturesTest, colours_that_begin_anew_know_nothing_of_what_was) {
    const std::vector<float> x = features();
    PatchColours fresh(device), used(device);
    const std::vector<float> want = colours(fresh, x);
    colours(used, features(11));
    EXPECT_NE(colours(used, x), want);
    used.begin_anew();
    EXPECT_EQ(colours(used, x), want);
}

TEST_F(PatchFeaturesTest, an_outlier_has_no_say_in_the_range) {
    std::vector<float> x = features();
    PatchColours plain(device), swamped(device);
    const std::vector<float> before = colours(plain, x);
    for (uint32_t j = 0; j < columns; ++j) x[(prefix + 20) * columns + j] *= 3;
    const std::vector<float> after = colours(swamped, x);
    double spread = 0;
    for (uint32_t cell = 0; cell < 35; ++cell)
        if (cell != 20) spread = std::max(spread, distance(after, cell, 0));
    EXPECT_GT(spread, 0.8) << "the others still fill the scale";
}

TEST_F(PatchFeaturesTest, device_and_host_limit_the_same_cells) {
    std::vector<float> cells = random(200);
    for (float& v : cells) v = std::abs(v);
    const Size grid{20, 10};
    auto limited = [&] {
        const Tensor from = tensor(1, grid.y, grid.x, Type::f32, cells);
        return run([&](Commands& c) {
            const Tensor map = c.scratch(1, grid.y, grid.x, Type::f32);
            copy(c, map, from);
            limit_outliers(c, map);
            return map;
        });
    };
    EXPECT_EQ(outlier_limit(cells), INFINITY);
    EXPECT_EQ(limited(), cells);
    cells[77] = 100;
    const float limit = outlier_limit(cells);
    EXPECT_LT(limit, 5);
    const std::vector<float> got = limited();
    for (size_t i = 0; i < cells.size(); ++i) EXPECT_EQ(got[i], std::min(cells[i], limit)) << i;
}

TEST_F(PatchFeaturesTest, what_was_not_kept_gets_one_line) {
    begin();
    const Tap nobody;
    EXPECT_THROW(similarity_map(commands, nobody, layout, 0), Error);
    finish();
}

}  // namespace
}  // namespace saccade
