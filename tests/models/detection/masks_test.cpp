#include "models/detection/mask_head.h"
#include "tests/models/detection/detection_golden.h"

namespace saccade {
namespace {

class MasksTest : public DetectionTest {};

TEST_F(MasksTest, are_those_of_transformers) {
    const DetectionGolden golden("detr-panoptic-nano");
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

        // The best comes first, and what is handed on is the frame's mask by run lengths.
        DetectionFilter all;
        all.threshold = -1;
        EXPECT_TRUE(findings.detections(all)[0].mask.empty()) << "nobody asked for masks";
        all.masks = true;
        const std::vector<Detection> found = findings.detections(all);
        EXPECT_EQ(found[0].query, masked[0]);
        uint64_t pixels = 0;
        for (uint32_t run : found[0].mask) pixels += run;
        EXPECT_EQ(pixels, uint64_t(golden.picture().width) * golden.picture().height);
    }
}

TEST_F(MasksTest, cost_nothing_where_the_model_makes_none) {
    const DetectionGolden golden("rfdetr-nano-tiny");
    Detector detector = make(golden, Type::f32);
    detect(detector, golden.picture());
    EXPECT_TRUE(detector.findings().masked_queries().empty());
    EXPECT_FALSE(detector.findings().masks());
}

}  // namespace
}  // namespace saccade
