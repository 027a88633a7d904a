// Tables that are too large for one binding: how they are split, and that operations give the same
// results. A lowered limit stands for a larger table.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "gpu/ops/common.h"
#include "gpu/ops/products.h"
#include "gpu/ops/words.h"
#include "tests/gpu_test.h"

namespace saccade {
namespace {

Tensor table_of(uint32_t rows, uint32_t columns, Type type) {
    return make_tensor(reinterpret_cast<VkBuffer>(uintptr_t{1}), 512, 1, rows, columns, type);
}

TEST(Parts, a_table_that_fits_stays_whole) {
    const Tensor table = table_of(100, 24, Type::f32);
    const auto parts = parts_of(table, {.storage_range = table.bytes});
    ASSERT_EQ(parts.size(), 1u);
    EXPECT_EQ(parts[0].first_row, 0u);
    EXPECT_EQ(parts[0].rows.rows, 100u);
    EXPECT_EQ(parts[0].rows.base, table.base);
    EXPECT_EQ(parts[0].rows.bytes, table.bytes);
}

TEST(Parts, a_larger_table_is_cut_into_bindable_pieces_that_cover_it) {
    for (Type type : {Type::f32, Type::f16})
        for (uint32_t rows : {65u, 200u, 1000u, 1024u}) {
            const Tensor table = table_of(rows, 21, type);
            const uint64_t row_bytes = 24 * bytes_of(type);
            const Limits limits{.storage_range = row_bytes * 150 / 2};  // 75 rows
            if (table.bytes <= limits.storage_range) continue;
            uint32_t next = 0;
            for (const Part& part : parts_of(table, limits)) {
                EXPECT_EQ(part.first_row, next);
                EXPECT_EQ(part.rows.base, table.base + next * row_bytes);
                EXPECT_EQ(part.rows.bytes, part.rows.rows * row_bytes);
                EXPECT_LE(part.rows.bytes, limits.storage_range);
                EXPECT_EQ((part.rows.base - table.base) % 256, 0u) << "no device asks for more";
                EXPECT_EQ(part.rows.columns, 21u);
                EXPECT_EQ(part.rows.row_stride, table.row_stride);
                next += part.rows.rows;
            }
            EXPECT_EQ(next, rows);
        }
}

TEST(Parts, tables_beyond_four_gigabytes_are_cut_without_overflow) {
    // 300,000 tokens of 8192 columns in fp16 are 4.9 GB; a binding sees 128 MiB at worst.
    const Tensor table = table_of(300000, 8192, Type::f16);
    ASSERT_GT(table.bytes, uint64_t(1) << 32);
    const auto parts = parts_of(table, {.storage_range = 128u << 20});
    EXPECT_EQ(parts.size(), 37u);
    EXPECT_EQ(parts.back().rows.base + parts.back().rows.bytes, table.base + table.bytes);
}

TEST(Parts, what_cannot_be_cut_is_refused) {
    const Tensor table = table_of(100, 1024, Type::f32);
    EXPECT_THROW(parts_of(table, {.storage_range = 63 * 4096}), Error) << "less than 64 rows fit";
    const Tensor slice = table_of(200, 24, Type::f32).slice_rows(1, 199);
    EXPECT_THROW(parts_of(slice, {.storage_range = 9600}), Error);
}

class SmallBindingsTest : public ::testing::Test {
protected:
    static DeviceInfo limited() {
        DeviceInfo info = test_device().info();
        info.limits.storage_range = 10000;  // 104 rows of 24 floats: parts of 64
        return info;
    }
    Tensor upload(uint32_t rows, uint32_t columns, Type type, std::span<const float> values) {
        buffers_.emplace_back(device, "table", tensor_bytes(1, rows, columns, type),
                              Memory::upload);
        const Tensor t = make_tensor(buffers_.back().handle(), 0, 1, rows, columns, type);
        const std::span<std::byte> bytes = buffers_.back().mapped();
        std::ranges::fill(bytes, std::byte{0});
        for (size_t i = 0; i < values.size(); ++i)
            std::memcpy(&bytes[(i / columns * t.row_stride + i % columns) * 4], &values[i], 4);
        buffers_.back().flush();
        return t;
    }
    // Fills scratch memory with NaN first, as GpuTest does.
    template <typename Work>
    std::vector<float> run(Work work) {
        commands.begin();
        const std::vector<float> poison(2000, NAN);
        const Tensor bad = upload(1, 2000, Type::f32, poison);
        const Arena::Mark mark = arena.mark();
        for (int i = 0; i < 10; ++i)
            commands.copy_bytes(bad, commands.scratch(1, 1, 2000, Type::f32));
        arena.release(mark);
        const Tensor result = work(commands);
        const Buffer host(device, "result", result.bytes, Memory::readback);
        commands.copy_bytes(
            result, make_tensor(host.handle(), 0, 1, result.rows, result.columns, result.type));
        commands.end();
        commands.run();
        arena.release({});
        host.invalidate();
        std::vector<float> values(size_t(result.rows) * result.columns);
        for (size_t i = 0; i < values.size(); ++i)
            std::memcpy(
                &values[i],
                &host.mapped()[(i / result.columns * result.row_stride + i % result.columns) * 4],
                4);
        return values;
    }
    static std::vector<float> numbers(size_t count, float step) {
        std::vector<float> values(count);
        for (size_t i = 0; i < count; ++i) values[i] = step * float((i * 37) % 101) - 1.0f;
        return values;
    }

    Device device{test_device().instance(), limited(), {}};
    Arena arena{device, "scratch"};
    Commands commands{device, arena, "small bindings"};

private:
    std::vector<Buffer> buffers_;
};

TEST_F(SmallBindingsTest, embedding_finds_rows_in_every_part_of_a_table) {
    const std::vector<float> table = numbers(200 * 24, 0.02f);
    const std::vector<uint32_t> wanted = {0, 63, 64, 127, 128, 191, 192, 199, 200, 0xffffffff};
    std::vector<float> bits(wanted.size());
    std::memcpy(bits.data(), wanted.data(), wanted.size() * 4);
    Tensor ids = upload(1, uint32_t(wanted.size()), Type::f32, bits);
    ids.type = Type::u32;
    const std::vector<float> places = numbers(wanted.size() * 24, 0.03f);
    const Tensor t = upload(200, 24, Type::f32, table);
    const Tensor p = upload(uint32_t(wanted.size()), 24, Type::f32, places);
    const auto y = run([&](Commands& c) { return embedding(c, ids, t, p); });
    EXPECT_EQ(commands.counts().dispatches, 4u) << "the table was not split";
    for (size_t i = 0; i < wanted.size(); ++i)
        for (size_t j = 0; j < 24; ++j)
            EXPECT_EQ(y[i * 24 + j],
                      (wanted[i] < 200 ? table[wanted[i] * 24 + j] : 0.0f) + places[i * 24 + j])
                << "id " << wanted[i];
}

TEST_F(SmallBindingsTest, linear_takes_every_part_of_a_weight_and_its_bias) {
    const std::vector<float> weight = numbers(197 * 24, 0.02f), bias = numbers(197, 0.03f);
    const std::vector<float> x = numbers(3 * 24, 0.05f);
    const Tensor tx = upload(3, 24, Type::f32, x);
    const Linear w{upload(197, 24, Type::f32, weight), upload(1, 197, Type::f32, bias)};
    const auto y = run([&](Commands& c) { return linear(c, tx, w); });
    EXPECT_EQ(commands.counts().dispatches, 4u) << "the weight was not split";
    std::vector<float> want;
    for (size_t m = 0; m < 3; ++m)
        for (size_t n = 0; n < 197; ++n) {
            double sum = double(bias[n]);
            for (size_t k = 0; k < 24; ++k)
                sum += double(x[m * 24 + k]) * double(weight[n * 24 + k]);
            want.push_back(static_cast<float>(sum));
        }
    EXPECT_LT(relative_error(y, want), 1e-5);
}

}  // namespace
}  // namespace saccade
