#include "models/backbone/position.h"

#include <cmath>
#include <numbers>

#include "tests/gpu_test.h"
#include "tests/models/files/temp_folder.h"

namespace saccade {
namespace {

using Floats = std::vector<float>;

TEST(Positions, sines_of_the_row_come_before_those_of_the_column) {
    const Size grid{5, 3};
    const uint32_t dim = 16;
    const Floats all = sine_positions(grid, dim);
    ASSERT_EQ(all.size(), 15u * dim);
    for (uint32_t y = 0; y < 3; ++y)
        for (uint32_t x = 0; x < 5; ++x)
            for (uint32_t i = 0; i < dim; ++i) {
                // Rows and columns are counted from one, and the last is a whole circle.
                const double place = i < 8 ? (y + 1) / (3 + 1e-6) : (x + 1) / (5 + 1e-6);
                const uint32_t pair = i % 8 / 2;
                const double angle =
                    2 * std::numbers::pi * place / std::pow(10000.0, 2.0 * pair / 8);
                const double want = i % 2 == 0 ? std::sin(angle) : std::cos(angle);
                EXPECT_NEAR(all[(y * 5 + x) * dim + i], want, 1e-6) << y << " " << x << " " << i;
            }
}

TEST(Positions, sines_need_pairs_for_both_axes) {
    expect_says(error_of([] { sine_positions({2, 2}, 6); }), "multiple of four");
}

// The same without separating the axes: sixteen neighbours at once, in double.
Floats bicubic(const Floats& table, uint32_t dim, Size from, Size to) {
    auto kernel = [](double d) {
        constexpr double a = -0.75;
        d = std::abs(d);
        if (d <= 1) return (a + 2) * d * d * d - (a + 3) * d * d + 1;
        return d < 2 ? a * d * d * d - 5 * a * d * d + 8 * a * d - 4 * a : 0.0;
    };
    auto held = [](int place, uint32_t size) { return std::clamp(place, 0, int(size) - 1); };
    Floats result;
    for (uint32_t y = 0; y < to.y; ++y)
        for (uint32_t x = 0; x < to.x; ++x)
            for (uint32_t i = 0; i < dim; ++i) {
                const double cy = (y + 0.5) * from.y / to.y - 0.5;
                const double cx = (x + 0.5) * from.x / to.x - 0.5;
                double sum = 0;
                for (int sy = int(std::floor(cy)) - 1; sy <= int(std::floor(cy)) + 2; ++sy)
                    for (int sx = int(std::floor(cx)) - 1; sx <= int(std::floor(cx)) + 2; ++sx) {
                        const int at = held(sy, from.y) * int(from.x) + held(sx, from.x);
                        sum +=
                            kernel(cy - sy) * kernel(cx - sx) * double(table[size_t(at) * dim + i]);
                    }
                result.push_back(static_cast<float>(sum));
            }
    return result;
}

Floats numbers(size_t count) {
    std::mt19937 source(3);
    std::uniform_real_distribution<float> uniform(-1, 1);
    Floats values(count);
    for (float& value : values) value = uniform(source);
    return values;
}

TEST(Positions, resizing_weighs_sixteen_neighbours) {
    struct Case {
        Size from, to;
    };
    for (const auto& [from, to] : {Case{{83, 50}, {42, 32}}, Case{{7, 4}, {3, 9}},
                                   Case{{1, 1}, {2, 3}}, Case{{2, 6}, {1, 1}}}) {
        const Floats table = numbers(size_t(area(from)) * 5);
        EXPECT_LT(relative_error(resize_bicubic(table, 5, from, to), bicubic(table, 5, from, to)),
                  1e-6)
            << from.y << "x" << from.x << " to " << to.y << "x" << to.x;
    }
}

// torch's interpolate(scale_factor=((5 + 0.1) / 3, (2 + 0.1) / 4), mode="bicubic") of sin(1.7 i).
TEST(Positions, with_an_offset_they_lie_as_in_a_larger_grid) {
    Floats table;
    for (int i = 0; i < 12; ++i) table.push_back(static_cast<float>(std::sin(1.7 * i)));
    const Floats torch{0.5273021f,  -0.6009705f, 0.6236256f,  -0.7017422f, 0.7509961f,
                       -0.8330479f, 0.7791197f,  -0.8538178f, 0.7677279f,  -0.8346805f};
    EXPECT_LT(relative_error(resize_bicubic(table, 1, {4, 3}, {2, 5}, 0.1), torch), 1e-6);
}

TEST(Positions, resizing_to_the_same_size_changes_no_bit) {
    const Floats table = numbers(7 * 9 * 4);
    EXPECT_EQ(resize_bicubic(table, 4, {9, 7}, {9, 7}), table);
}

TEST(Positions, a_table_of_another_size_is_refused) {
    expect_says(error_of([] { resize_bicubic(numbers(10), 1, {4, 3}, {2, 2}); }), "3x4");
}

class PositionTablesTest : public GpuTest {};

TEST_F(PositionTablesTest, are_made_once_for_each_size) {
    PositionTables tables(device, "positions");
    int made = 0;
    auto make = [&](uint32_t rows) {
        return [&made, rows](uint32_t table) {
            ++made;
            return Floats(size_t(rows) * 5, static_cast<float>(table + rows));
        };
    };
    tables.prepare({3, 2}, 2, 6, 5, make(6));
    tables.prepare({3, 2}, 2, 6, 5, make(6));
    EXPECT_EQ(made, 2);
    EXPECT_EQ(run([&](Commands&) { return tables[1]; }), Floats(6 * 5, 7.0f));

    tables.prepare({3, 4}, 2, 12, 5, make(12));
    EXPECT_EQ(made, 4);
    EXPECT_EQ(tables.grid(), (Size{3, 4}));
    EXPECT_EQ(run([&](Commands&) { return tables[0]; }), Floats(12 * 5, 12.0f));
    tables.prepare({3, 2}, 2, 6, 5, make(6));
    EXPECT_EQ(made, 4) << "eight sizes are kept";
    EXPECT_EQ(run([&](Commands&) { return tables[0]; }), Floats(6 * 5, 6.0f));

    for (uint32_t i = 1; i <= 8; ++i) tables.prepare({i, 9}, 1, i, 5, make(i));
    EXPECT_EQ(made, 12);
    tables.prepare({3, 2}, 2, 6, 5, make(6));
    EXPECT_EQ(made, 14);
    EXPECT_EQ(run([&](Commands&) { return tables[1]; }), Floats(6 * 5, 7.0f));
}

TEST_F(PositionTablesTest, that_could_not_be_made_are_not_taken_for_ready) {
    PositionTables tables(device, "positions");
    EXPECT_THROW(tables.prepare({3, 2}, 1, 6, 5, [](uint32_t) { return Floats(7); }), Error);
    EXPECT_NE(tables.grid(), (Size{3, 2}));
}

}  // namespace
}  // namespace saccade
