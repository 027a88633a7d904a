#include "app/track/assignment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace saccade {
namespace {

float total(std::span<const float> costs, size_t columns, std::span<const uint32_t> chosen,
            float limit) {
    float sum = 0;
    for (size_t row = 0; row < chosen.size(); ++row)
        sum += chosen[row] == Assignment::unassigned ? limit : costs[row * columns + chosen[row]];
    return sum;
}

// The minimum over all assignments.
float least(std::span<const float> costs, size_t row, size_t rows, size_t columns, float limit,
            uint32_t taken = 0) {
    if (row == rows) return 0;
    float best = limit + least(costs, row + 1, rows, columns, limit, taken);
    for (size_t column = 0; column < columns; ++column)
        if (!(taken >> column & 1) && costs[row * columns + column] < limit)
            best =
                std::min(best, costs[row * columns + column] + least(costs, row + 1, rows, columns,
                                                                     limit, taken | 1u << column));
    return best;
}

TEST(Assignments, are_the_cheapest_of_all) {
    std::mt19937 random(3);
    Assignment assignment;
    for (int round = 0; round < 300; ++round) {
        const size_t rows = random() % 6, columns = random() % 6;
        std::vector<float> costs(rows * columns);
        for (float& cost : costs) cost = static_cast<float>(random() % 100) / 50;
        const auto chosen = assignment.solve(costs, rows, columns, 1);
        ASSERT_EQ(chosen.size(), rows);
        EXPECT_NEAR(total(costs, columns, chosen, 1), least(costs, 0, rows, columns, 1), 1e-5);
        std::vector<uint32_t> used;
        for (const uint32_t column : chosen)
            if (column != Assignment::unassigned) used.push_back(column);
        std::ranges::sort(used);
        EXPECT_EQ(std::ranges::adjacent_find(used), used.end()) << "a column was given twice";
    }
}

TEST(Assignments, leave_alone_what_costs_too_much) {
    Assignment assignment;
    const std::vector<float> costs{0.2f, 5, 0.1f, 5};
    const auto chosen = assignment.solve(costs, 2, 2, 1);
    EXPECT_EQ(chosen[0], Assignment::unassigned);  // the first column costs the other row less
    EXPECT_EQ(chosen[1], 0u);
}

TEST(Assignments, give_way_to_each_other) {
    Assignment assignment;
    // Greedily the first row would take the first column, and none would be left for the second.
    const std::vector<float> costs{0.1f, 0.2f, 0.15f, 5};
    const auto chosen = assignment.solve(costs, 2, 2, 1);
    EXPECT_EQ(chosen[0], 1u);
    EXPECT_EQ(chosen[1], 0u);
}

}  // namespace
}  // namespace saccade
