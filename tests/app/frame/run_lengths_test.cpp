#include "app/frame/run_lengths.h"

#include <gtest/gtest.h>

#include <vector>

#include "models/detection/mask_runs.h"

namespace saccade {
namespace {

// Decodes run lengths as COCO's tools do.
std::vector<uint32_t> runs_of(const std::string& text) {
    std::vector<uint32_t> runs;
    for (size_t at = 0; at < text.size();) {
        int64_t value = 0;
        int shift = 0;
        bool more = true;
        while (more) {
            const int64_t letter = text[at++] - '0';
            value |= (letter & 0x1f) << shift;
            more = letter & 0x20;
            shift += 5;
            if (!more && (letter & 0x10)) value |= -(int64_t(1) << shift);
        }
        if (runs.size() > 2) value += runs[runs.size() - 2];
        runs.push_back(static_cast<uint32_t>(value));
    }
    return runs;
}

TEST(RunLengths, are_read_back_as_they_were) {
    for (const std::vector<uint32_t>& runs : {std::vector<uint32_t>{6, 1, 40, 4, 5, 4, 5, 4, 21},
                                              {0, 100},
                                              {15, 16, 31, 32, 1023, 1, 7},
                                              {0, 1, 1000000, 1, 1, 999999},
                                              {12}})
        EXPECT_EQ(runs_of(coco_counts(runs)), runs);
}

TEST(RunLengths, are_those_that_cocos_tools_write) {
    // pycocotools' encode of a 9 x 10 mask whose pixels (6, 0), (2..5, 5), (2..5, 6) and (2..5, 7)
    // are set: counts 6 1 40 4 5 4 5 4 21.
    EXPECT_EQ(coco_counts(std::vector<uint32_t>{6, 1, 40, 4, 5, 4, 5, 4, 21}), "61X13mN000`0");
}

TEST(MaskRuns, go_down_the_columns_and_begin_outside) {
    // The right half of a picture of 4 x 2 pixels.
    const std::vector<float> logits = {-8, 8, -8, 8};
    EXPECT_EQ(mask_runs(logits, {2, 2}, {4, 2}), (std::vector<uint32_t>{4, 4}));
    // All of it: the first run, of background, is empty.
    EXPECT_EQ(mask_runs(std::vector<float>{5}, {1, 1}, {3, 2}), (std::vector<uint32_t>{0, 6}));
    EXPECT_EQ(mask_runs(std::vector<float>{-5}, {1, 1}, {3, 2}), (std::vector<uint32_t>{6}));
}

}  // namespace
}  // namespace saccade
