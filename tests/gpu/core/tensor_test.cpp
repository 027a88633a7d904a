#include "gpu/core/tensor.h"

#include <gtest/gtest.h>

#include "gpu/core/error.h"

namespace saccade {
namespace {

// An arbitrary handle, which no code dereferences.
VkBuffer some_buffer() { return reinterpret_cast<VkBuffer>(uintptr_t{0x10}); }

Tensor make(uint32_t batch, uint32_t rows, uint32_t columns, Type type = Type::f32) {
    return make_tensor(some_buffer(), 256, batch, rows, columns, type);
}

TEST(Tensor, rows_are_padded_to_multiples_of_eight_elements) {
    EXPECT_EQ(padded(1), 8u);
    EXPECT_EQ(padded(8), 8u);
    EXPECT_EQ(padded(333), 336u);
    const Tensor t = make(2, 3, 333, Type::f16);
    EXPECT_EQ(t.row_stride, 336u);
    EXPECT_EQ(t.batch_stride, 3 * 336u);
    EXPECT_EQ(t.bytes, 2 * 3 * 336 * 2u);
    EXPECT_EQ(t.bytes, tensor_bytes(2, 3, 333, Type::f16));
    EXPECT_EQ(t.base, 256u);
    EXPECT_EQ(t.offset, 0u);
}

TEST(Tensor, says_its_shape_and_type) {
    EXPECT_EQ(make(1, 197, 768, Type::f16).shape(), "(1, 197, 768) f16");
    EXPECT_EQ(make(2, 1, 5, Type::u32).shape(), "(2, 1, 5) u32");
    EXPECT_EQ(make(2, 3, 5).all_rows(), 6u);
    EXPECT_FALSE(Tensor{});
    EXPECT_TRUE(make(1, 1, 1));
}

TEST(Tensor, sizes_beyond_four_gigabytes_do_not_wrap) {
    EXPECT_EQ(tensor_bytes(1, 70000, 65536, Type::f32), uint64_t(70000) * 65536 * 4);
    EXPECT_THROW(make(1, 70000, 65536), Error) << "more elements than 32 bits count";
    EXPECT_EQ(make(1, 60000, 65536).bytes, uint64_t(60000) * 65536 * 4);
}

TEST(Tensor, an_empty_one_cannot_be_made) {
    EXPECT_THROW(make(0, 1, 1), Error);
    EXPECT_THROW(make(1, 0, 1), Error);
    EXPECT_THROW(make(1, 1, 0), Error);
}

TEST(Tensor, slices_some_rows_of_every_batch) {
    const Tensor t = make(2, 5, 24), s = t.slice_rows(1, 3);
    EXPECT_EQ(s.shape(), "(2, 3, 24) f32");
    EXPECT_EQ(s.offset, 24u);
    EXPECT_EQ(s.batch_stride, t.batch_stride);
    EXPECT_EQ(s.row_stride, t.row_stride);
    EXPECT_EQ(s.base, t.base);
    EXPECT_EQ(s.bytes, t.bytes) << "a view is cut from all of the memory";
    EXPECT_EQ(s.slice_rows(2, 1).offset, 3 * 24u);
}

TEST(Tensor, slices_some_columns_of_every_row) {
    const Tensor t = make(2, 5, 72), s = t.slice_columns(24, 24);
    EXPECT_EQ(s.shape(), "(2, 5, 24) f32");
    EXPECT_EQ(s.offset, 24u);
    EXPECT_EQ(s.row_stride, 72u);
    EXPECT_EQ(t.slice_rows(2, 2).slice_columns(48, 24).offset, 2 * 72 + 48u);
    EXPECT_EQ(t.slice_columns(0, 72).shape(), t.shape());
}

TEST(Tensor, slices_that_are_not_there_are_refused_by_name) {
    const Tensor t = make(2, 5, 24);
    EXPECT_THROW(t.slice_rows(0, 6), Error);
    EXPECT_THROW(t.slice_rows(5, 1), Error);
    EXPECT_THROW(t.slice_rows(0, 0), Error);
    EXPECT_THROW(t.slice_rows(0xffffffff, 2), Error) << "first + count wraps";
    EXPECT_THROW(t.slice_columns(16, 16), Error);
    EXPECT_THROW(t.slice_columns(0, 0), Error);
    EXPECT_THROW(t.slice_columns(2, 4), Error) << "kernels load four at once";
    EXPECT_THROW(t.slice_columns(0xfffffffc, 8), Error);
    EXPECT_THROW(t.at_batch(2), Error);
    try {
        t.slice_rows(3, 4);
        FAIL();
    } catch (const Error& error) {
        EXPECT_STREQ(error.what(), "rows 3 to 7 do not lie in (2, 5, 24) f32");
    }
}

TEST(Tensor, takes_one_batch) {
    const Tensor t = make(3, 5, 24), s = t.at_batch(2);
    EXPECT_EQ(s.shape(), "(1, 5, 24) f32");
    EXPECT_EQ(s.offset, 2 * 5 * 24u);
}

TEST(Tensor, is_flat_where_batches_follow_each_other) {
    const Tensor t = make(3, 5, 20), flat = t.flat();
    EXPECT_EQ(flat.shape(), "(1, 15, 20) f32");
    EXPECT_EQ(flat.row_stride, t.row_stride);
    EXPECT_EQ(flat.batch_stride, 15 * t.row_stride);
    EXPECT_THROW(t.slice_rows(0, 4).flat(), Error) << "gaps between the batches";
    EXPECT_EQ(t.at_batch(1).slice_rows(1, 2).flat().shape(), "(1, 2, 20) f32");
}

}  // namespace
}  // namespace saccade
