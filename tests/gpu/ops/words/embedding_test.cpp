#include "tests/gpu_test.h"

#include "gpu/ops/words.h"

namespace saccade {
namespace {

class EmbeddingTest : public GpuTest {
protected:
    // Each batch has `rows` ids, and positions begin anew with each batch.
    static std::vector<float> reference(std::span<const uint32_t> ids, std::span<const float> table,
                                        std::span<const float> positions, size_t rows) {
        const size_t columns = positions.size() / rows;
        std::vector<float> y;
        for (size_t i = 0; i < ids.size(); ++i)
            for (size_t j = 0; j < columns; ++j) {
                const size_t at = ids[i] * columns + j;
                y.push_back((at < table.size() ? table[at] : 0.0f) +
                            positions[i % rows * columns + j]);
            }
        return y;
    }
};

TEST_F(EmbeddingTest, adds_the_rows_that_ids_name_to_their_positions_in_both_storage_types) {
    struct Case {
        uint32_t rows, columns;
        std::vector<uint32_t> ids;
    };
    for (const Case& c :
         {Case{1, 1, {0}}, Case{10, 333, {9, 0, 3, 3, 5, 9, 1}}, Case{197, 24, {196, 0, 100}}})
        for (Type type : {Type::f32, Type::f16}) {
            const std::vector<float> table = random(size_t(c.rows) * c.columns, type);
            const auto count = static_cast<uint32_t>(c.ids.size());
            const std::vector<float> places = random(size_t(count) * c.columns);
            const Tensor t = tensor(1, c.rows, c.columns, type, table), i = ids(c.ids);
            const Tensor p = tensor(1, count, c.columns, Type::f32, places);
            const auto y = run([&](Commands& r) { return embedding(r, i, t, p); });
            EXPECT_EQ(y, reference(c.ids, table, places, count)) << t.shape();
        }
}

TEST_F(EmbeddingTest, an_id_past_the_table_gives_its_position_alone) {
    const std::vector<float> table = random(10 * 19);
    const std::vector<uint32_t> wanted = {10, 9, 11, 0xffffffff, 0x80000000, 0};
    const std::vector<float> places = random(6 * 19);
    const Tensor t = tensor(1, 10, 19, Type::f32, table), i = ids(wanted);
    const Tensor p = tensor(1, 6, 19, Type::f32, places);
    const auto y = run([&](Commands& r) { return embedding(r, i, t, p); });
    EXPECT_EQ(y, reference(wanted, table, places, 6));
}

TEST_F(EmbeddingTest, takes_ids_of_several_batches) {
    const std::vector<float> table = random(10 * 24);
    const std::vector<uint32_t> wanted = {1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 9, 0, 5, 5, 2, 1};
    Tensor i = ids(wanted);  // (1, 1, 16), and two batches of eight lie the same
    i.batch = 2;
    i.columns = i.row_stride = i.batch_stride = 8;
    const std::vector<float> places = random(8 * 24);
    const Tensor t = tensor(1, 10, 24, Type::f32, table);
    const Tensor p = tensor(1, 8, 24, Type::f32, places);
    const auto y = run([&](Commands& r) {
        const Tensor rows = embedding(r, i, t, p);
        EXPECT_EQ(rows.shape(), "(2, 8, 24) f32");
        return rows;
    });
    EXPECT_EQ(y, reference(wanted, table, places, 8));
}

TEST_F(EmbeddingTest, reads_a_table_and_positions_that_are_parts_of_others) {
    const std::vector<float> table = random(10 * 24);
    const std::vector<uint32_t> wanted = {0, 3, 2, 4};  // 4 lies in the whole, not in the part
    const Tensor t = tensor(1, 10, 24, Type::f32, table).slice_rows(5, 4), i = ids(wanted);
    const std::vector<float> places = random(7 * 24);
    const Tensor p = tensor(1, 7, 24, Type::f32, places).slice_rows(2, 4);
    const auto y = run([&](Commands& r) { return embedding(r, i, t, p); });
    EXPECT_EQ(y, reference(wanted, std::span(table).subspan(5 * 24, 4 * 24),
                           std::span(places).subspan(2 * 24, 4 * 24), 4));
}

TEST_F(EmbeddingTest, refuses_what_are_no_ids_and_positions_of_other_shapes) {
    const Tensor table = random_tensor(1, 10, 24, Type::f32);
    const Tensor i = ids(std::vector<uint32_t>{1, 2});
    const Tensor two = random_tensor(1, 2, 24, Type::f32),
                 four = random_tensor(1, 4, 24, Type::f32);
    begin();
    EXPECT_THROW(embedding(commands, random_tensor(1, 1, 4, Type::f32), table, four), Error);
    EXPECT_THROW(embedding(commands, poisoned(1, 2, 4, Type::u32), table, four), Error);
    EXPECT_THROW(embedding(commands, i, random_tensor(2, 10, 24, Type::f32), two), Error);
    EXPECT_THROW(embedding(commands, i, table, four), Error);
    EXPECT_THROW(embedding(commands, i, table, random_tensor(1, 2, 16, Type::f32)), Error);
    EXPECT_THROW(embedding(commands, i, table, random_tensor(1, 2, 24, Type::f16)), Error);
    finish();
}

}  // namespace
}  // namespace saccade
