#include "app/batch/plan/shard.h"

#include "tests/app/batch/plan/plans.h"
#include "tests/app/variable.h"
#include "tests/models/files/temp_folder.h"

namespace saccade {
namespace {

// The frames of a piece, of which the last of a source may be shorter.
uint64_t frames_in(const PlannedSource& source, uint64_t piece, uint64_t length) {
    if (!source.error.empty()) return 0;
    if (!source.frames) return length;
    return std::min(length, *source.frames - piece * length);
}

// As in the folders of earlier runs, and in tests/trials/scale.
TEST(Shard, a_piece_belongs_to_the_share_in_which_its_middle_lies) {
    const auto shares = shares_of(plan_with({10, 30, 10}, 30), 2);
    ASSERT_EQ(shares[0].size(), 1u) << "the middle of the second is that of all frames";
    EXPECT_EQ(shares[0][0].source, 0u);
    EXPECT_EQ(shares[1].size(), 2u);
}

TEST(Shard, shares_cover_every_piece_once_and_differ_by_less_than_a_piece) {
    BatchPlan plan = plan_with({300, 1, std::nullopt, 59, 61, 6000, 7}, 60);
    for (int i = 0; i < 200; ++i) {  // short videos behind long ones
        plan.sources.emplace_back();
        plan.sources.back().frames = 2;
    }
    plan.sources.emplace_back();
    plan.sources.back().error = "no video";
    uint64_t all = 0;
    for (const PlannedSource& source : plan.sources)
        for (uint64_t p = 0; p < plan.pieces_of(source); ++p) all += frames_in(source, p, 60);
    for (const uint32_t count : {1u, 2u, 3u, 7u, 50u, 200u, 1000u}) {
        SCOPED_TRACE(count);
        const std::vector<std::vector<PieceRange>> shares = shares_of(plan, count);
        ASSERT_EQ(shares.size(), count);
        std::vector<std::vector<int>> done;
        for (const PlannedSource& source : plan.sources) done.emplace_back(plan.pieces_of(source));
        for (const auto& share : shares) {
            uint64_t mine = 0;
            for (const PieceRange& range : share) {
                const PlannedSource& source = plan.sources[range.source];
                auto& of_source = done[range.source];
                const uint64_t end = std::min<uint64_t>(range.end_piece, of_source.size());
                EXPECT_LT(range.first_piece, end);
                // The last piece of a source extends to its real end.
                EXPECT_EQ(range.end_piece == UINT64_MAX, end == of_source.size());
                for (uint64_t p = range.first_piece; p < end; ++p) {
                    ++of_source[p];
                    mine += frames_in(source, p, 60);
                }
            }
            EXPECT_LE(std::abs(double(mine) - double(all) / count), 60);
        }
        for (const auto& of_source : done)
            EXPECT_TRUE(std::ranges::all_of(of_source, [](int n) { return n == 1; }));
    }
}

TEST(Shard, a_run_without_any_frame_has_its_sources_in_one_share_each) {
    BatchPlan plan = plan_with({0, 0}, 60);
    for (PlannedSource& source : plan.sources) source.error = "no video";
    std::vector<int> done(2);
    for (const auto& share : shares_of(plan, 3))
        for (const PieceRange& range : share) ++done[range.source];
    EXPECT_EQ(done, (std::vector{1, 1}));
}

TEST(Shard, numbers_that_are_drawn_are_not_cut_within_a_source) {
    BatchPlan plan = plan_with({300, 60, 6000, 61}, 60);
    plan.track = true;
    for (const uint32_t count : {1u, 2u, 3u, 50u}) {
        std::vector<int> done(plan.sources.size());
        for (const auto& share : shares_of(plan, count))
            for (const PieceRange& range : share) {
                ++done[range.source];
                EXPECT_EQ(range.first_piece, 0u);
                EXPECT_EQ(range.end_piece, UINT64_MAX);
            }
        EXPECT_EQ(done, (std::vector{1, 1, 1, 1})) << count;
    }
    plan.video = false;  // nothing is drawn: merge assigns the track numbers
    EXPECT_GT(shares_of(plan, 2)[1].back().source, 1u);
    EXPECT_GT(shares_of(plan, 2)[1].front().first_piece, 0u);
}

TEST(Shard, is_counted_from_0) {
    EXPECT_EQ(parse_shard("0/1").count, 1u);
    EXPECT_EQ(parse_shard("7/8").index, 7u);
    EXPECT_EQ(parse_shard("7/8").text(), "7/8");
    for (const char* text :
         {"8/8", "1", "/8", "1/", "-1/8", "1/8x", "a/b", "", "0/1048577", "0/4294967296"})
        expect_says(error_of([&] { parse_shard(text); }), "from 0/N to N-1/N");
}

// The variables of a task of Slurm's; null: not set.
class SlurmTask {
public:
    SlurmTask(const char* id, const char* min, const char* max, const char* count)
        : id_("SLURM_ARRAY_TASK_ID", id),
          min_("SLURM_ARRAY_TASK_MIN", min),
          max_("SLURM_ARRAY_TASK_MAX", max),
          count_("SLURM_ARRAY_TASK_COUNT", count) {}

private:
    Variable id_, min_, max_, count_;
};

TEST(Shard, auto_is_the_task_of_slurm_kubernetes_or_aws_batch) {
    const Variable kubernetes("JOB_COMPLETION_INDEX", nullptr),
        aws("AWS_BATCH_JOB_ARRAY_INDEX", nullptr);
    {
        const SlurmTask none(nullptr, nullptr, nullptr, nullptr);
        expect_says(error_of([] { array_task(); }), "--shard I/N");
        const Variable index("JOB_COMPLETION_INDEX", "5");
        expect_says(error_of([] { numbering_of(array_task(), 0); }), "say it with --shards N");
        EXPECT_EQ(shard_of(array_task(), numbering_of(array_task(), 8)).text(), "5/8");
        EXPECT_EQ(array_task().scheduler, "Kubernetes");
    }
    {
        const SlurmTask none(nullptr, nullptr, nullptr, nullptr);
        const Variable index("AWS_BATCH_JOB_ARRAY_INDEX", "5");
        EXPECT_EQ(shard_of(array_task(), numbering_of(array_task(), 8)).text(), "5/8");
        const Variable size("AWS_BATCH_JOB_ARRAY_SIZE", "6");
        EXPECT_EQ(shard_of(array_task(), numbering_of(array_task(), 0)).text(), "5/6");
    }
    const SlurmTask task("5", "0", "63", "64");
    EXPECT_EQ(shard_of(array_task(), numbering_of(array_task(), 0)).text(), "5/64");
    const Variable word("SLURM_ARRAY_TASK_ID", "five");
    expect_says(error_of([] { array_task(); }),
                "SLURM_ARRAY_TASK_ID is 'five', which is no number");
}

TEST(Shard, auto_counts_as_the_whole_array_does) {
    const SlurmTask from_one("64", "1", "64", "64");
    for (const uint32_t said : {0u, 64u}) {
        const Numbering numbering = numbering_of(array_task(), said);
        EXPECT_EQ(numbering.first_task, 1u);
        EXPECT_EQ(shard_of(array_task(), numbering).text(), "63/64");
    }
    // Submitted again for one task, the array itself does not tell how many there are.
    const SlurmTask again("17", "17", "17", "1");
    EXPECT_EQ(shard_of(array_task(), {64, 0}).text(), "17/64");
    EXPECT_EQ(shard_of(array_task(), {64, 1}).text(), "16/64");
    EXPECT_EQ(numbering_of(array_task(), 64).first_task, 0u);
    expect_says(error_of([] { numbering_of(array_task(), 0); }), "say with --shards N");
    const SlurmTask gaps("5", "0", "5", "2");
    expect_says(error_of([] { numbering_of(array_task(), 0); }), "say with --shards N");
}

TEST(Shard, auto_refuses_an_array_that_does_not_fit_the_run) {
    const SlurmTask task("3", "1", "64", "64");
    expect_says(error_of([] {
                    shard_of(array_task(), {64, 0});
                }),
                "the run has 64 shards, tasks 0 to 63");
    expect_says(error_of([] { shard_of(array_task(), {8, 1}); }), "tasks 1 to 8");
    const SlurmTask low("0", "0", "0", "1");
    expect_says(error_of([] { shard_of(array_task(), {8, 1}); }), "tasks 1 to 8");
    EXPECT_EQ(shard_of(array_task(), {8, 0}).text(), "0/8");
}

}  // namespace
}  // namespace saccade
