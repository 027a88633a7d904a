#include "app/inspect/page_maps.h"

#include <gtest/gtest.h>

#include <numeric>

namespace saccade {
namespace {

PageDemand demand(uint32_t layers, uint32_t heads, Size patches, uint32_t others = 0) {
    PageDemand result{.heads = heads, .others = others, .patches = patches};
    result.layers.resize(layers);
    std::iota(result.layers.begin(), result.layers.end(), 0u);
    result.cells = area(patches);
    return result;
}

constexpr uint64_t page = 7'000'000;  // more than 9 MB as base64

TEST(PageMaps, all_of_vit_base_fits) {
    const PageDemand vit = demand(12, 12, {14, 14}, 1);
    const PageForm form = thinned(vit, page);
    EXPECT_EQ(form.layers, vit.layers);
    EXPECT_EQ(form.stride, 1u);
    EXPECT_EQ(vit.bytes(form), 12u * 12 * 197 * 200);
}

TEST(PageMaps, of_larger_models_layers_are_left_out_first_and_patches_then) {
    const PageDemand detr = demand(6, 8, {34, 25});
    const PageForm form = thinned(detr, page);
    EXPECT_EQ(form.layers, (std::vector<uint32_t>{0, 2, 3, 5}));
    EXPECT_EQ(form.stride, 2u);
    EXPECT_LE(detr.bytes(form), page);
    EXPECT_EQ(thinned(detr, 10'000'000).layers.size(), 6u) << "with more room all layers stay";
    // YOLOS-S has 3300 patches: one layer less is not enough, nor are half of them.
    const PageDemand yolos = demand(12, 6, {66, 50});
    EXPECT_LE(yolos.bytes(thinned(yolos, page)), page);
    EXPECT_EQ(thinned(yolos, page).layers.back(), 11u);
    const PageDemand chosen{.layers = {3}, .heads = 8, .patches = {34, 25}, .cells = 850};
    EXPECT_EQ(thinned(chosen, page).stride, 1u) << "one layer has room for all its patches";
}

TEST(PageMaps, a_minimum_stays_even_without_room) {
    const PageForm form = thinned(demand(12, 6, {66, 50}, 1), 0);
    EXPECT_EQ(form.layers, std::vector<uint32_t>{11});
    EXPECT_EQ(form.stride, 17u);
}

TEST(PageMaps, several_models_share_a_page_and_small_ones_leave_room_to_large_ones) {
    const PageDemand small = demand(2, 2, {4, 4}), vit = demand(12, 12, {14, 14}, 1);
    const std::vector<PageForm> forms = thinned({vit, small}, page);
    EXPECT_EQ(forms[0].layers.size(), 12u);
    EXPECT_EQ(forms[1].layers.size(), 2u);
    const std::vector<PageForm> both = thinned({vit, vit, small}, page);
    EXPECT_LT(both[0].layers.size(), 12u);
    EXPECT_LE(vit.bytes(both[0]) + vit.bytes(both[1]) + small.bytes(both[2]), page);
}

TEST(PageMaps, eight_bits_span_each_map) {
    PageMaps maps{.rows = 3, .cells = 2};
    maps.add({0.5f, 0.25f, 0, 0});
    maps.add({0.001f, 0.002f});
    EXPECT_EQ(maps.levels, (std::vector<uint8_t>{255, 128, 0, 0, 128, 255}));
    EXPECT_EQ(maps.scales, (std::vector<float>{0.5f, 0, 0.002f}));
}

}  // namespace
}  // namespace saccade
