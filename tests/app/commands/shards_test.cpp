// `saccade batch --plan` and `--shard`, and `saccade merge`, as tasks of a cluster use them.

#include "tests/app/commands/batch_runs.h"
#include "tests/app/variable.h"

namespace saccade {
namespace {

namespace fs = std::filesystem;
using Shards = BatchRuns;

TEST_F(Shards, join_to_the_whole) {
    const std::string clip = with_sound(temp, make_clip(temp, "silent.mp4", 45), "clip.mp4");
    const Words sources{clip, "synth:96x64@30?seed=3&frames=11"};
    const Words more{"--piece", "8", "--coco", "--frames", "--stride", "2"};
    expect_done(run(sources, "whole", more));
    auto part = [&](const std::string& shard) {
        return run(sources, "parts", more + Words{"--shard", shard});
    };
    expect_done(part("2/3"));
    expect_refused(saccade_program({"merge", temp / "parts"}), 1,
                   "2 of 3 parts, 0-1, are missing or not finished");
    expect_done(part("0/3"));
    expect_refused(saccade_program({"merge", temp / "parts"}), 1, "part 1/3 is missing");
    expect_done(part("1/3"));
    const Outcome merged = saccade_program({"merge", "--quiet", temp / "parts"});
    expect_done(merged);
    EXPECT_EQ(merged.err, "") << "nor does FFmpeg write to the terminal";
    expect_same("whole", "parts");
    expect_done(saccade_program({"merge", "--quiet", temp / "parts"}));
    expect_same("whole", "parts");
    expect_refused(saccade_program({"merge", temp / "whole"}), 1, "holds no parts of a run");
    expect_refused(saccade_program({"merge", temp / "nothing"}), 1, "holds no parts of a run");
}

TEST_F(Shards, open_only_the_sources_that_they_work_on) {
    const std::string first = make_clip(temp, "first.mp4", 4),
                      second = make_clip(temp, "second.mp4", 4);
    const Words sources{first, second}, more{"--no-video"};
    const Outcome planned =
        saccade_program({"batch", first, second, "-o", temp / "out", "--detector", detector,
                         "--classifier", "none", "--captioner", "none", "--threshold", "0",
                         "--max-detections", "3", "--no-video", "--plan", "--shards", "2"});
    expect_done(planned);
    expect_says(planned.out, "2 sources with 8 frames are planned in ");
    temp.write("second.mp4", "no video any more");
    expect_done(run(sources, "out", more + Words{"--shard", "0/2"}));
    expect_refused(run(sources, "out", more + Words{"--shard", "1/2"}), 1,
                   "second.mp4' is no video");
    // What is merged is whole but for that source.
    const Outcome merged = saccade_program({"merge", "--quiet", temp / "out"});
    expect_refused(merged, 1, "second.mp4' is no video");
    EXPECT_EQ(lines_in("out").size(), 4u);
}

TEST_F(Shards, forget_that_a_source_failed_when_it_can_be_read_again) {
    const std::string clip = make_clip(temp, "clip.mp4", 4);
    const Words more{"--no-video"}, shard{"--shard", "0/1", "--resume"};
    expect_done(run({clip}, "whole", more));
    expect_done(run({clip}, "out", more + Words{"--plan", "--shards", "1"}));
    fs::rename(clip, temp / "elsewhere");
    temp.write("clip.mp4", "");
    expect_refused(run({clip}, "out", more + shard), 1, "clip.mp4' is no video");
    EXPECT_FALSE(fs::exists(temp / "out/shard-0-of-1/FRAMES.jsonl")) << "it would be empty";
    fs::rename(temp / "elsewhere", clip);
    expect_done(run({clip}, "out", more + shard));
    expect_done(saccade_program({"merge", "--quiet", temp / "out"}));
    expect_same("whole", "out");
}

TEST_F(Shards, that_are_finished_need_neither_a_device_nor_a_model) {
    const Words sources{"synth:64x48@30?frames=4"}, more{"--no-video", "--piece", "2"};
    expect_done(run(sources, "out", more + Words{"--shard", "1/2"}));
    const Words again{"--shard", "1/2", "--resume", "--device", "no such device"};
    Words words = this->words(sources, "out", more);
    std::erase(words, "--device");
    expect_done(saccade_program(words + again));
    // Nor does a shard without any frames.
    Words few = this->words({"synth:64x48@30?frames=2"}, "few", more);
    expect_done(saccade_program(few + Words{"--shard", "0/8", "--device", "no such device"}));
    expect_refused(saccade_program(words + Words{"--shard", "0/2", "--device", "no such device"}),
                   1, "no such device");
}

TEST_F(Shards, keep_to_the_number_that_the_run_was_split_into) {
    const Words sources{"synth:64x48@30?frames=4"}, more{"--no-video", "--piece", "2"};
    expect_done(run(sources, "out", more + Words{"--plan", "--shards", "2"}));
    expect_refused(run(sources, "out", more + Words{"--shard", "0/3"}), 1,
                   "out' holds a run in 2 shards, not 3");
    expect_refused(run(sources, "out", more + Words{"--shard", "0/2", "--stride", "2"}), 1,
                   "another 'stride'");
    expect_refused(
        run({sources[0], "synth:64x48@30?frames=9"}, "out", more + Words{"--shard", "0/2"}), 1,
        "without 'synth:64x48@30?frames=9'");
    expect_refused(run(sources, "out", {"--shards", "2"}), 2, "is for --plan and --shard auto");
    expect_refused(run(sources, "out", {"--shards", "2", "--shard", "0/3"}), 2, "contradicts");
    expect_done(run(sources, "out", more + Words{"--shard", "0/2"}));
    expect_refused(run(sources, "out", more), 1, "holds a run in 2 shards: process each with");
    expect_refused(run(sources, "out", more + Words{"--plan", "--shards", "4"}), 1,
                   "holds a run in 2 shards, not 4");
    expect_done(run(sources, "whole", more));
    expect_refused(run(sources, "whole", more + Words{"--shard", "0/2"}), 1,
                   "holds a run that is not split");
}

TEST_F(Shards, are_chosen_by_the_scheduler) {
    const Words sources{"synth:64x48@30?frames=6"}, more{"--no-video", "--piece", "2"};
    const Variable count("SLURM_ARRAY_TASK_COUNT", "3"), first("SLURM_ARRAY_TASK_MIN", "0"),
        last("SLURM_ARRAY_TASK_MAX", "2");
    {
        const Variable task("SLURM_ARRAY_TASK_ID", "1");
        Words loud = words(sources, "out", more + Words{"--shard", "auto"});
        std::erase(loud, "--quiet");
        const Outcome outcome = saccade_program(loud);
        expect_done(outcome);
        expect_says(outcome.out, "shard 1/3, by Slurm's SLURM_ARRAY_TASK_ID\n");
    }
    {
        const Variable task("SLURM_ARRAY_TASK_ID", "0");
        expect_done(run(sources, "out", more + Words{"--shard", "auto"}));
    }
    // sbatch --array=2: an array of one task, of a run in three shards.
    const Variable task("SLURM_ARRAY_TASK_ID", "2"), only("SLURM_ARRAY_TASK_COUNT", "1"),
        from("SLURM_ARRAY_TASK_MIN", "2");
    expect_done(run(sources, "out", more + Words{"--shard", "auto"}));
    expect_done(saccade_program({"merge", "--quiet", temp / "out"}));
    EXPECT_EQ(lines_in("out").size(), 6u);
    expect_refused(run(sources, "new", more + Words{"--shard", "auto"}), 1, "--shards N");
}

TEST_F(Shards, that_lost_something_are_named_by_merge) {
    const Words sources{"synth:64x48@30?seed=3&frames=6"},
        more{"--no-video", "--piece", "2", "--track"};
    expect_done(run(sources, "whole", more));
    for (const char* shard : {"0/2", "1/2"})
        expect_done(run(sources, "out", more + Words{"--shard", shard}));
    const fs::path seen = temp / "out/shard-1-of-2/.saccade/sources/synth/000002.seen";
    std::string bytes = file_content(seen);
    bytes.back() ^= 1;
    std::ofstream(seen, std::ios::binary) << bytes;
    expect_refused(saccade_program({"merge", temp / "out"}), 1,
                   "part 1/2 has lost some of what was done in");
    EXPECT_EQ(run(sources, "out", more + Words{"--shard", "1/2", "--resume"}).code, 0);
    expect_done(saccade_program({"merge", "--quiet", temp / "out"}));
    expect_same("whole", "out");
    temp.write("out/shard-1-of-2/.saccade/run.json", "{}");
    expect_refused(saccade_program({"merge", temp / "out"}), 1, "belongs to another run");
    expect_refused(run(sources, "out", more + Words{"--shard", "1/2", "--resume"}), 1,
                   "belongs to another run");
}

}  // namespace
}  // namespace saccade
