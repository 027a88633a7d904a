#include "app/batch/open_run.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/batch/lines/frame_lines.h"
#include "app/batch/plan/examine.h"
#include "app/batch/plan/run_file.h"
#include "app/io/print.h"
#include "gpu/core/error.h"
#include "gpu/core/files.h"

namespace saccade {

namespace {

using Object = nlohmann::ordered_json;
namespace fs = std::filesystem;

std::string quoted(const fs::path& path) { return "'" + path.string() + "'"; }

void forget_damaged(const OpenRun& run) {
    for (const Damage& damage : run.folder.find_damage(run.plan, run.ranges)) {
        const PlannedSource& source = run.plan.sources[damage.source];
        spdlog::warn(
            "'{}': some of its results are lost or changed; piece {} and all after it "
            "are processed again",
            source.source.name.text(), damage.piece);
        run.folder.work().forget(source, damage.piece);
    }
}

// A line of a piece that was broken off is written again together with its piece.
void drop_lines_of_unfinished(const OpenRun& run) {
    const WorkFolder work = run.folder.work();
    std::map<size_t, uint64_t> next;  // the first piece of each source that is not whole
    for (const PieceRange& range : run.ranges) {
        const PlannedSource& source = run.plan.sources[range.source];
        next[range.source] = work.is_done(source) ? UINT64_MAX : work.next_piece(source, range);
    }
    gather_lines(
        {run.folder.lines()}, run.folder.lines(), line_names(run.plan, run.ranges),
        [&](size_t source, uint64_t frame) { return run.plan.piece_of(frame) < next[source]; });
}

// Keeps the whole pieces of the earlier run. A piece that was broken off, or that no longer matches
// its checksums, is processed again.
void resume(OpenRun& run) {
    run.resumed = true;
    run.folder.work().clean_up(run.plan, run.ranges);
    FileBeside::remove_leftovers(run.folder.path());
    forget_damaged(run);
    drop_lines_of_unfinished(run);
}

[[noreturn]] void refuse_unfinished(const BatchFolder& folder) {
    throw Error(quoted(folder.path()) +
                " holds an unfinished run: continue it with --resume, or "
                "remove " +
                quoted(folder.work().path()) + " to start over");
}

// An Error if the command line asks for another run than that in the folder.
void expect_same(const BatchFolder& folder, const BatchPlan& before, const BatchPlan& now) {
    const std::string what = difference(before, now);
    if (!what.empty())
        throw Error(quoted(folder.path()) + " cannot be resumed: its run was started " + what +
                    "; use the same sources and options, or another folder");
}

[[noreturn]] void refuse_split(const BatchFolder& folder, const Numbering& numbering) {
    throw Error(quoted(folder.path()) + " holds a run in " + std::to_string(numbering.shards) +
                " shards: process each with --shard I/" + std::to_string(numbering.shards) +
                ", then run 'saccade merge', or name another folder");
}

OpenRun open_whole(BatchPlan plan, const RunRequest& request) {
    OpenRun run{.folder = BatchFolder(request.folder)};
    const WorkFolder work = run.folder.work();
    make_folder(work.path());
    run.lock = std::make_unique<FolderLock>(work.path());
    std::optional<RunFile> before = RunFile::read(work.run_file());
    if (before && before->numbering.shards > 0) {
        if (run.folder.has_parts()) refuse_split(run.folder, before->numbering);
        before.reset();  // its parts were joined and removed
    }
    const bool resumes = before && request.resume;
    if (resumes) {
        expect_same(run.folder, before->plan, plan);
        run.plan = std::move(before->plan);
    } else {
        if (before && !work.all_ended(before->plan, shares_of(before->plan, 1).front()))
            refuse_unfinished(run.folder);
        examine(plan, request.quiet);
        run.plan = std::move(plan);
        run.run_json = RunFile{.plan = run.plan}.text();
    }
    run.folder.spare_sources(run.plan);
    run.ranges = shares_of(run.plan, 1).front();
    if (resumes) resume(run);
    return run;
}

// An Error if the run in the folder is split in another way.
void expect_split(const BatchFolder& folder, const RunFile& run, uint32_t shards) {
    const uint32_t planned = run.numbering.shards;
    if (planned == 0)
        throw Error(quoted(folder.path()) +
                    " holds a run that is not split into shards: name "
                    "another folder, or remove " +
                    quoted(folder.work().path()));
    if (shards > 0 && shards != planned)
        throw Error(quoted(folder.path()) + " holds a run in " + std::to_string(planned) +
                    " shards, not " + std::to_string(shards) + ": use --shard I/" +
                    std::to_string(planned) + ", or name another folder");
}

RunFile plan_shards(const BatchFolder& folder, BatchPlan plan, const Numbering& numbering,
                    bool quiet) {
    examine(plan, quiet);
    folder.spare_sources(plan);
    return {std::move(plan), numbering};
}

OpenRun open_shard(BatchPlan plan, const RunRequest& request) {
    const BatchFolder whole(request.folder);
    const fs::path run_file = whole.work().run_file();
    make_folder(whole.work().path());
    std::optional<ArrayTask> task;
    if (request.shard == "auto") task = array_task();
    const uint32_t shards = task ? request.shards : parse_shard(request.shard).count;

    std::optional<RunFile> found = RunFile::read(run_file);
    if (!found) {
        const Numbering numbering = task ? numbering_of(*task, shards) : Numbering{shards};
        if (task) shard_of(*task, numbering);  // an Error comes before the plan is made
        found = plan_shards(whole, plan, numbering, request.quiet).publish(run_file);
    }
    expect_split(whole, *found, shards);
    expect_same(whole, found->plan, plan);

    const Shard shard = task ? shard_of(*task, found->numbering) : parse_shard(request.shard);
    if (task && !request.quiet)
        print("shard " + shard.text() + ", by " + task->scheduler + "'s " + task->variable + "\n");
    OpenRun run{.plan = std::move(found->plan), .shard = shard, .folder = whole.part(shard)};
    run.ranges = std::move(shares_of(run.plan, shard.count)[shard.index]);
    run.run_json = shard_json(shard, found->checksum);
    const WorkFolder work = run.folder.work();
    make_folder(work.path());
    run.lock = std::make_unique<FolderLock>(work.path());
    const std::optional<std::string> before = content_of(work.run_file());
    if (!before) return run;
    if (*before != run.run_json)
        throw Error(quoted(run.folder.path()) + " belongs to another run than " + quoted(run_file) +
                    ": remove it, or name another folder");
    if (request.resume)
        resume(run);
    else if (!work.all_ended(run.plan, run.ranges))
        refuse_unfinished(run.folder);
    return run;
}

}  // namespace

OpenRun open_run(BatchPlan plan, const RunRequest& request) {
    return request.shard.empty() ? open_whole(std::move(plan), request)
                                 : open_shard(std::move(plan), request);
}

BatchPlan plan_run(BatchPlan plan, const RunRequest& request) {
    const BatchFolder folder(request.folder);
    const WorkFolder work = folder.work();
    make_folder(work.path());
    const FolderLock lock(work.path());
    std::optional<RunFile> before = RunFile::read(work.run_file());
    if (before && before->numbering.shards == 0 &&
        !work.all_ended(before->plan, shares_of(before->plan, 1).front()))
        refuse_unfinished(folder);
    if (before && folder.has_parts()) {
        expect_split(folder, *before, request.shards);
        expect_same(folder, before->plan, plan);
        return std::move(before->plan);
    }
    RunFile run = plan_shards(folder, std::move(plan), {request.shards}, request.quiet);
    work.begin(run.text());
    return std::move(run.plan);
}

uint64_t frames_left(const BatchPlan& plan, const WorkFolder& work, const PieceRange& range) {
    const PlannedSource& source = plan.sources[range.source];
    if (!source.frames || !source.error.empty() || work.is_done(source)) return 0;
    const uint64_t done = work.next_piece(source, range) * plan.piece;
    const uint64_t end =
        range.end_piece == UINT64_MAX ? *source.frames : range.end_piece * plan.piece;
    return end > done ? end - done : 0;
}

}  // namespace saccade
