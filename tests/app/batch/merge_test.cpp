#include "app/batch/merge.h"

#include <fstream>
#include <nlohmann/json.hpp>

#include "app/batch/batch_folder.h"
#include "app/batch/lines/manifest.h"
#include "app/batch/plan/run_file.h"
#include "gpu/core/files.h"
#include "tests/app/batch/plan/plans.h"
#include "tests/app/quiet_log.h"
#include "tests/app/sources/clips.h"

namespace saccade {
namespace {

TEST(Merge, keeps_the_lines_of_the_piece_in_which_a_source_failed_and_no_later_ones) {
    const QuietLog quiet;
    const TempFolder temp;
    BatchPlan plan = plan_with({12}, 4);
    plan.video = false;
    plan.sources[0].name = "clip";
    const PlannedSource& source = plan.sources[0];
    const BatchFolder folder(temp.path()), part = folder.part({0, 1});
    make_folder(folder.work().path());
    const RunFile run = RunFile{.plan = plan, .numbering = {1}}.publish(folder.work().run_file());
    part.work().begin(shard_json({0, 1}, run.checksum));
    make_folder(part.work().folder(source));
    LineDigest first_piece;
    {
        std::ofstream lines(part.lines());
        for (uint64_t frame = 0; frame < 12; ++frame) {
            const std::string line = nlohmann::json{{"source", "1.mp4"}, {"frame", frame}}.dump();
            lines << line << "\n";
            if (plan.piece_of(frame) == 0) first_piece.add(line);
        }
    }
    PieceManifest whole;
    whole.lines = first_piece.finish();
    whole.write(part.work().manifest(source, 0));
    part.work().set_failed(source, "'1.mp4' is cut short");

    EXPECT_TRUE(merge_parts(temp.path(), true).failed);
    std::vector<uint64_t> frames;
    for (const std::string& line : lines_of(file_content(folder.lines())))
        frames.push_back(nlohmann::json::parse(line).at("frame"));
    EXPECT_EQ(frames, (std::vector<uint64_t>{0, 1, 2, 3, 4, 5, 6, 7}));
}

}  // namespace
}  // namespace saccade
