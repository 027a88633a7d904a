// Which copies of a weight are kept, for devices that this machine need not have.

#include "gpu/ops/products/weight_copies.h"

#include <gtest/gtest.h>

namespace saccade {
namespace {

constexpr WeightCopies rows_alone{.by_rows = true, .fragments = false};
constexpr WeightCopies fragments_alone{.by_rows = false, .fragments = true};
constexpr WeightCopies both{.by_rows = true, .fragments = true};
constexpr HeldFragments held{.eights = 1, .alike = true};

DeviceInfo with_matrices() {
    DeviceInfo info;
    info.kind = DeviceKind::discrete;
    info.limits.subgroup_size = 32;
    info.limits.shared_bytes = 49152;
    info.limits.workgroup_threads = 1024;
    info.limits.storage_range = 1u << 30;
    info.features.cooperative_matrix = true;
    info.features.matrix_shapes = {{16, 16, 16}};
    return info;
}

Tensor weight(uint32_t rows, uint32_t columns, Type type = Type::f16) {
    return make_tensor(nullptr, 0, 1, rows, columns, type);
}

TEST(WeightCopies, on_cooperative_matrices_one_copy_is_kept_unless_both_are_read) {
    const DeviceInfo device = with_matrices();
    for (const Tensor& w :
         {weight(768, 768), weight(3072, 768), weight(1, 8), weight(50257, 768)}) {
        EXPECT_EQ(weight_copies(device, held, w, Rows::many), fragments_alone) << w.shape();
        EXPECT_EQ(weight_copies(device, held, w, Rows::few), rows_alone) << w.shape();
        EXPECT_EQ(weight_copies(device, held, w, Rows::any), both) << w.shape();
    }
}

TEST(WeightCopies, rows_are_kept_where_nothing_reads_fragments) {
    DeviceInfo none = with_matrices();
    none.features.cooperative_matrix = false;
    none.features.matrix_shapes.clear();
    DeviceInfo little = with_matrices();  // no tile fits into its shared memory
    little.limits.shared_bytes = 1024;
    DeviceInfo narrow = with_matrices();  // no binding sees all fragments
    narrow.limits.storage_range = 1u << 20;
    for (const Rows rows : {Rows::many, Rows::few, Rows::any}) {
        EXPECT_EQ(weight_copies(none, held, weight(768, 768), rows), rows_alone);
        EXPECT_EQ(weight_copies(little, held, weight(768, 768), rows), rows_alone);
        EXPECT_EQ(weight_copies(narrow, held, weight(768, 768), rows), rows_alone);
        EXPECT_EQ(weight_copies(with_matrices(), {}, weight(768, 768), rows), rows_alone)
            << "a driver that does not tell how fragments are held";
        EXPECT_EQ(weight_copies(with_matrices(), held, weight(768, 768, Type::f32), rows),
                  rows_alone);
    }
}

}  // namespace
}  // namespace saccade
