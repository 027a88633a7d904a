#include <algorithm>
#include <cmath>
#include <numeric>

#include "models/detection/coco_stuff.h"
#include "models/detection/mask_head.h"
#include "models/detection/mask_runs.h"
#include "tests/models/detection/detection_fixture.h"

namespace saccade {
namespace {

// Pixels of a mask by its runs.
uint64_t inside(const std::vector<uint32_t>& runs) {
    uint64_t pixels = 0;
    for (size_t i = 1; i < runs.size(); i += 2) pixels += runs[i];
    return pixels;
}

class MasksTest : public DetectionTest {};

TEST_F(MasksTest, are_those_of_transformers) {
    const Golden golden("detr-panoptic-nano");
    for (Type precision : {Type::f32, Type::f16}) {
        SCOPED_TRACE(name_of(precision));
        const double tolerance = precision == Type::f32 ? 1e-4 : 1e-2;
        Detector detector = make(golden, precision);
        DetectionTaps taps;
        taps.parts = Parts(true);
        detect(detector, golden.picture(), taps);
        const Findings& findings = detector.findings();
        EXPECT_LT(relative_error(findings.logits(), golden["logits"]), tolerance);
        EXPECT_LT(relative_error(findings.boxes(), golden["boxes"]), tolerance);
        expect_detections(detector, golden, tolerance);

        const Size size = findings.mask_size();
        EXPECT_EQ(size, Size(48, 32));
        const std::vector<uint32_t> masked = findings.masked_queries();
        EXPECT_EQ(masked.size(), 12u) << "there are fewer queries than masks could be";
        const Floats logits = findings.mask_logits();
        Floats some;
        for (uint32_t query : golden.best()) {
            const auto index = size_t(std::ranges::find(masked, query) - masked.begin());
            ASSERT_LT(index, masked.size());
            for (uint32_t y = 0; y < size.y; y += 4)
                for (uint32_t x = 0; x < size.x; x += 4)
                    some.push_back(logits[(index * size.y + y) * size.x + x]);
        }
        EXPECT_LT(relative_error(some, golden["pred_masks_top5"]), tolerance);

        // The best comes first, with the frame's mask as run lengths.
        DetectionFilter all;
        all.threshold = -1;
        EXPECT_TRUE(findings.detections(all)[0].mask.empty()) << "nobody asked for masks";
        all.masks = true;
        const std::vector<Detection> found = findings.detections(all);
        EXPECT_EQ(found[0].query, masked[0]);
        const uint64_t frame = uint64_t(golden.picture().width) * golden.picture().height;
        uint64_t shared_out = 0, with_masks = 0;
        for (const Detection& d : found) {
            if (d.mask.empty()) continue;
            ++with_masks;
            EXPECT_EQ(std::accumulate(d.mask.begin(), d.mask.end(), uint64_t(0)), frame);
            shared_out += inside(d.mask);
        }
        EXPECT_GT(with_masks, 0u);
        EXPECT_LE(shared_out, frame) << "a pixel is one object's";
    }
}

TEST_F(MasksTest, share_out_the_pixels_as_transformers_does) {
    const Golden golden("detr-panoptic-nano");
    Detector detector = make(golden, Type::f32);
    detect(detector, golden.picture());
    const Findings& findings = detector.findings();
    const Json& with = golden.info["segments_with"];
    DetectionFilter filter;
    filter.threshold = with["threshold"];
    const std::vector<uint32_t> masked = findings.masked_queries();
    const Floats logits = findings.mask_logits();
    const size_t each = area(findings.mask_size());
    std::vector<PanopticMask> masks;
    const std::vector<Detection> found = findings.detections(filter);
    for (const Detection& d : found) {
        const auto index = size_t(std::ranges::find(masked, d.query) - masked.begin());
        masks.push_back(
            {std::span(logits).subspan(index * each, each), d.score, uint32_t(masks.size())});
    }
    const auto runs = panoptic_runs(
        masks, uint32_t(masks.size()), findings.mask_size(),
        {golden.picture().width, golden.picture().height},
        {.inside = with["mask_threshold"], .kept = with["overlap_mask_area_threshold"]});
    size_t segments = 0;
    for (const Json& segment : golden.info["segments"]) {
        const auto one = std::ranges::find_if(found, [&](const Detection& d) {
            return std::abs(double(d.score) - double(segment["score"])) < 1e-4;
        });
        ASSERT_NE(one, found.end());
        EXPECT_EQ(one->id, segment["label"]);
        EXPECT_NEAR(double(inside(runs[size_t(one - found.begin())])), double(segment["pixels"]),
                    20);
        ++segments;
    }
    EXPECT_EQ(std::ranges::count_if(runs, [](const auto& r) { return !r.empty(); }),
              std::ptrdiff_t(segments));
}

// Four cells as four pixels: each pixel is its cell.
TEST(PanopticRuns, a_pixel_is_the_better_masks_and_masks_of_one_object_are_put_together) {
    const Size map{4, 1};
    const std::vector<float> left = {9, 9, -9, -9}, middle = {-9, 8, -9, -9},
                             right = {-9, -9, 9, 9};
    auto runs = [&](std::vector<PanopticMask> masks, uint32_t objects) {
        return panoptic_runs(masks, objects, map, map);
    };
    using Runs = std::vector<std::vector<uint32_t>>;
    EXPECT_EQ(runs({{left, 0.9f, 0}, {right, 0.8f, 1}}, 2), (Runs{{0, 2, 2}, {2, 2}}));
    EXPECT_EQ(runs({{left, 0.9f, 0}, {right, 0.8f, 0}}, 1), (Runs{{0, 4}})) << "one object";
    EXPECT_EQ(runs({{left, 0.9f, 0}, {middle, 0.8f, 1}, {right, 0.7f, 2}}, 3),
              (Runs{{0, 2, 2}, {}, {2, 2}}))
        << "the one in the middle has nothing left";
    EXPECT_EQ(runs({{middle, 0.9f, 0}, {left, 0.8f, 1}, {right, 0.3f, 2}}, 3),
              (Runs{{1, 1, 2}, {}, {2, 2}}))
        << "the left one has lost half of itself; one that scores little counts by its own measure";
    EXPECT_EQ(runs({}, 1), (Runs{{}})) << "an object without a mask";
}

TEST(PanopticRuns, stuff_is_known_by_its_name) {
    for (const char* label : {"sky-other-merged", "road", "rug-merged"})
        EXPECT_TRUE(is_stuff(label));
    for (const char* label : {"person", "sky", ""}) EXPECT_FALSE(is_stuff(label));
}

TEST_F(MasksTest, cost_nothing_where_the_model_makes_none) {
    const Golden golden("rfdetr-nano-tiny");
    Detector detector = make(golden, Type::f32);
    detect(detector, golden.picture());
    EXPECT_TRUE(detector.findings().masked_queries().empty());
    EXPECT_FALSE(detector.findings().masks());
}

}  // namespace
}  // namespace saccade
