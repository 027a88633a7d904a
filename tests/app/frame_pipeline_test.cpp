#include "app/frame_pipeline.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "app/sources/reader.h"
#include "tests/app/pictures.h"
#include "tests/app/program.h"

namespace saccade {
namespace {

class FramePipelineTest : public ::testing::Test {
protected:
    FramePipelineTest() : engine(engine_options()) {}

    static EngineOptions engine_options() {
        EngineOptions options;
        if (const char* device = std::getenv("SACCADE_DEVICE")) options.device = device;
        return options;
    }
    // All frames of a source, in the order in which they are finished.
    std::vector<FrameResult> run(const std::string& source, const FramePipelineOptions& options,
                                 uint64_t frames) {
        FramePipeline pipeline(engine, models, options);
        Reader reader(open_source(source), pipeline.make_slot(),
                      {.end = frames, .slots = pipeline.slots()});
        std::vector<FrameResult> results;
        auto finish = [&] {
            FramePipeline::Finished done = pipeline.finish();
            EXPECT_EQ(done.picture.pixels != nullptr, options.draw);
            if (options.draw) last_picture.assign(done.picture.pixels, done.picture.pixels + 3000);
            results.push_back(std::move(done.result));
        };
        while (std::optional<TakenFrame> frame = reader.next()) {
            while (!pipeline.has_room_for(*frame)) finish();
            pipeline.begin(std::move(*frame));
        }
        while (!pipeline.empty()) finish();
        return results;
    }

    Engine engine;
    ModelsInUse models;
    std::vector<uint8_t> last_picture;
};

TEST_F(FramePipelineTest, every_frame_comes_out_once_and_in_order_with_its_own_findings) {
    models = ModelsInUse::open(engine, {.detector = "emoji-detector"});
    FramePipelineOptions options;
    options.draw = false;
    const std::vector<FrameResult> together = run("synth:320x240@2?seed=7", options, 4);
    ASSERT_EQ(together.size(), 4u);
    for (uint64_t i = 0; i < 4; ++i) {
        EXPECT_EQ(together[i].info.index, i);
        ASSERT_TRUE(together[i].detections);
        EXPECT_FALSE(together[i].classes);
        EXPECT_FALSE(together[i].caption);
    }
    // One at a time, the findings are the same.
    FramePipeline pipeline(engine, models, options);
    Reader reader(open_source("synth:320x240@2?seed=7"), pipeline.make_slot(),
                  {.end = 4, .slots = pipeline.slots()});
    for (const FrameResult& want : together) {
        pipeline.begin(*reader.next());
        const FramePipeline::Finished alone = pipeline.finish();
        ASSERT_EQ(alone.result.detections->size(), want.detections->size());
        for (size_t i = 0; i < want.detections->size(); ++i) {
            EXPECT_EQ((*alone.result.detections)[i].query, (*want.detections)[i].query);
            EXPECT_EQ((*alone.result.detections)[i].score, (*want.detections)[i].score);
        }
    }
}

TEST_F(FramePipelineTest, frames_that_are_looked_at_together_keep_their_own_findings) {
    const TempFolder temp;
    models = ModelsInUse::open(engine, {.detector = model_folder(temp, "yolos-nano"),
                                        .classifier = model_folder(temp, "vit-nano")});
    FramePipelineOptions options;
    options.filter.threshold = 0;
    // Ten frames in groups of three leave one alone.
    const std::string source = "synth:96x64@2?seed=7&frames=10";
    const std::vector<FrameResult> alone = run(source, options, 10);
    const std::vector<uint8_t> picture = last_picture;
    options.at_once = 3;
    const std::vector<FrameResult> together = run(source, options, 10);
    ASSERT_EQ(alone.size(), 10u);
    ASSERT_EQ(together.size(), 10u);
    for (size_t i = 0; i < 10; ++i) {
        EXPECT_EQ(together[i].info.index, i);
        ASSERT_EQ(together[i].detections->size(), alone[i].detections->size());
        for (size_t j = 0; j < alone[i].detections->size(); ++j) {
            EXPECT_EQ((*together[i].detections)[j].query, (*alone[i].detections)[j].query);
            EXPECT_NEAR((*together[i].detections)[j].score, (*alone[i].detections)[j].score, 1e-4);
        }
        EXPECT_NEAR(together[i].classes->front().score, alone[i].classes->front().score, 1e-4);
    }
    EXPECT_NE(together[0].detections->front().score, together[9].detections->front().score);
    EXPECT_EQ(last_picture, picture);
}

TEST_F(FramePipelineTest, frames_of_another_size_wait_for_those_before) {
    const TempFolder temp;
    models = ModelsInUse::open(engine, {.detector = model_folder(temp, "yolos-nano")});
    std::filesystem::create_directory(temp / "all");
    for (int i = 0; i < 5; ++i)
        temp.write("all/" + std::to_string(i) + ".png",
                   encoded(".png", cv::Mat(48 + 16 * (i / 2), 64, CV_8UC3, cv::Scalar(9, 99, i))));
    FramePipelineOptions options;
    options.at_once = 2;
    const std::vector<FrameResult> results = run(temp / "all", options, 5);
    ASSERT_EQ(results.size(), 5u);
    for (uint32_t i = 0; i < 5; ++i) {
        EXPECT_EQ(results[i].info.index, i);
        EXPECT_EQ(results[i].info.size.height, 48 + 16 * (i / 2));
    }
}

TEST_F(FramePipelineTest, looking_changes_no_answer) {
    models = ModelsInUse::open(engine, {.detector = "emoji-detector"});
    FramePipelineOptions options;
    const std::vector<FrameResult> plain = run("synth:320x240@2?seed=7", options, 2);
    const std::vector<uint8_t> without = last_picture;
    options.attention.kind = AttentionKind::detection;
    const std::vector<FrameResult> looked = run("synth:320x240@2?seed=7", options, 2);
    ASSERT_EQ(plain.size(), looked.size());
    for (size_t i = 0; i < plain.size(); ++i) {
        ASSERT_EQ(plain[i].detections->size(), looked[i].detections->size());
        for (size_t j = 0; j < plain[i].detections->size(); ++j)
            EXPECT_EQ((*plain[i].detections)[j].score, (*looked[i].detections)[j].score);
    }
    EXPECT_NE(last_picture, without) << "the map is drawn";
}

TEST_F(FramePipelineTest, what_the_models_cannot_show_gets_one_line) {
    FramePipelineOptions options;
    options.attention.kind = AttentionKind::rollout;
    expect_says(error_of([&] { FramePipeline(engine, models, options); }), "--classifier");
    models = ModelsInUse::open(engine, {.detector = "emoji-detector"});
    options.attention = {.kind = AttentionKind::detection, .layer = 99};
    expect_says(error_of([&] { FramePipeline(engine, models, options); }), "8 layers");
}

}  // namespace
}  // namespace saccade
