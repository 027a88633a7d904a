#include "app/pipeline/paths_together.h"

#include <gtest/gtest.h>

#include "app/pipeline/models_in_use.h"
#include "app/sources/open_source.h"
#include "app/sources/reader.h"
#include "tests/app/program.h"
#include "tests/app/validated_engine.h"

namespace saccade {
namespace {

class PathsTogetherTest : public ::testing::Test {
protected:
    PathsTogetherTest() : engine(validated_engine()), together(engine) {
        models = ModelsInUse::open(engine, {.detector = model_folder(temp, "yolos-nano"),
                                            .classifier = model_folder(temp, "vit-nano")});
    }
    static FrameOrder order() {
        FrameOrder order;
        order.overlay.filter.threshold = 0;
        order.read_back.pixels = true;
        return order;
    }

    // A source with its path.
    struct Whole {
        std::unique_ptr<FramePath> path;
        std::unique_ptr<Reader> reader;
    };
    void open(const std::string& source) {
        // As many slots as frames of all sources in several orders would need recordings.
        const FramePathOptions options{.at_once = 1, .groups_in_flight = 1, .groups = 2};
        Whole& made = all.emplace_back();
        made.path = std::make_unique<FramePath>(engine, options, &together);
        made.path->use(models.borrowed());
        made.reader = std::make_unique<Reader>(open_source(source), made.path->ring());
    }
    // The next frame of each; of all together, or one after the other.
    std::vector<Done> round(bool at_once) {
        std::vector<PathsTogether::Beginning> begins;
        for (const Whole& one : all) {
            begins.push_back({one.path.get(), *one.reader->next(), order()});
            if (at_once) continue;
            together.begin(std::move(begins));
            begins.clear();
        }
        if (at_once) together.begin(std::move(begins));
        std::vector<Done> done;
        for (const Whole& one : all) done.push_back(one.path->finish());
        return done;
    }

    const TempFolder temp;
    Engine engine;
    ModelsInUse models;
    PathsTogether together;
    std::vector<Whole> all;
};

bool same(const FrameResult& a, const FrameResult& b) {
    if (a.detections->size() != b.detections->size()) return false;
    for (size_t i = 0; i < a.detections->size(); ++i)
        if ((*a.detections)[i].box.max != (*b.detections)[i].box.max ||
            (*a.detections)[i].score != (*b.detections)[i].score)
            return false;
    return a.classes->front().score == b.classes->front().score;
}

TEST_F(PathsTogetherTest, sources_of_several_sizes_take_turns_without_recording_anew) {
    for (const char* source : {"synth:96x64@9?seed=3", "synth:64x96@9?seed=4",
                               "synth:80x80@9?seed=5", "synth:96x64@9?seed=6"})
        open(source);
    for (int i = 0; i < 4; ++i) round(false);
    const uint64_t recorded = together.recordings();
    EXPECT_LE(recorded, 8u) << "one for each slot of each source";
    for (int i = 0; i < 4; ++i) round(false);
    for (const Done& done : round(false)) EXPECT_FALSE(done.result.detections->empty());
    EXPECT_EQ(together.recordings(), recorded);
}

TEST_F(PathsTogetherTest, more_sizes_than_are_kept_change_no_answer) {
    constexpr size_t sizes = 9;
    auto source = [](size_t i) {
        return "synth:" + std::to_string(48 + 16 * i) + "x64@9?seed=" + std::to_string(i);
    };
    std::vector<std::vector<FrameResult>> alone;
    for (size_t i = 0; i < sizes; ++i) {
        open(source(i));
        alone.emplace_back();
        for (int frame = 0; frame < 2; ++frame)
            alone.back().push_back(std::move(round(false).front().result));
        all.clear();
    }
    for (size_t i = 0; i < sizes; ++i) open(source(i));
    for (int frame = 0; frame < 2; ++frame) {
        const std::vector<Done> done = round(true);
        for (size_t i = 0; i < sizes; ++i)
            EXPECT_TRUE(same(done[i].result, alone[i][frame])) << i << " " << frame;
    }
}

}  // namespace
}  // namespace saccade
