#include <algorithm>

#include "gpu/ops/products.h"

#include "gpu/ops/products/tile_table.h"
#include "tests/gpu_test.h"

namespace saccade {
namespace {

class FragmentsTest : public GpuTest {};

TEST_F(FragmentsTest, are_for_fp16_on_cooperative_matrices_alone) {
    EXPECT_FALSE(fragments_size(device, random_tensor(1, 48, 64, Type::f32)));
    const Tensor weight = random_tensor(1, 48, 64, Type::f16);
    const FragmentsSize size = fragments_size(device, weight);
    EXPECT_EQ(bool(size), held_fragments(device).eights > 0);
    EXPECT_EQ(bool(fragments(weight)), bool(size));
    EXPECT_TRUE(device.features().cooperative_matrix || held_fragments(device).eights == 0);
    // Every element has its place.
    EXPECT_TRUE(!size || uint64_t(size.rows) * size.columns >= 48u * 64u);
}

TEST_F(FragmentsTest, hold_every_element_of_the_weight_and_zeros_past_its_edges) {
    const Tensor weight = random_tensor(1, 43, 52, Type::f16);
    std::vector<float> elements = values(weight);
    const Tensor made = fragments(weight);
    if (!made) {
        EXPECT_THROW(fragments_into(commands, weight, weight), Error);
        return;
    }
    // The layout is unknown, but every number must occur as often as in the weight.
    const uint32_t deep = choose_fragment(device.features())->k;
    const uint32_t room = made.rows - (52 + deep - 1) / deep;
    std::vector<float> found = values(made);
    found.resize(size_t(made.rows - room) * made.columns);
    std::erase(found, 0.0f);
    std::erase(elements, 0.0f);
    std::ranges::sort(found);
    std::ranges::sort(elements);
    const size_t copies = found.size() / elements.size();
    ASSERT_EQ(found.size(), copies * elements.size());
    for (size_t i = 0; i < found.size(); ++i) ASSERT_EQ(found[i], elements[i / copies]);
}

TEST_F(FragmentsTest, refuse_memory_of_another_size) {
    const Tensor weight = random_tensor(1, 48, 64, Type::f16);
    EXPECT_THROW(fragments_into(commands, random_tensor(1, 48, 64, Type::f16), weight), Error);
}

}  // namespace
}  // namespace saccade
