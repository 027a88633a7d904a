#include "app/batch/merge.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/batch/batch_folder.h"
#include "app/batch/lines/frame_lines.h"
#include "app/batch/plan/run_file.h"
#include "app/batch/plan/shard.h"
#include "app/io/folder_lock.h"
#include "app/io/interrupts.h"
#include "app/io/progress.h"
#include "gpu/core/error.h"
#include "gpu/core/files.h"

namespace saccade {

namespace {

namespace fs = std::filesystem;

void end_if_interrupted() {
    if (Interrupts::came())
        throw TemporaryError("interrupted before all parts were joined; run it again");
}

void gather_pictures(const BatchFolder& from, const BatchFolder& to, const PlannedSource& source) {
    if (!fs::is_directory(from.pictures(source))) return;
    std::error_code error;
    fs::create_directories(to.pictures(source), error);
    for (const auto& entry : fs::directory_iterator(from.pictures(source), error)) {
        const fs::path target = to.pictures(source) / entry.path().filename();
        std::error_code ignored;
        fs::remove(target, ignored);
        fs::create_hard_link(entry.path(), target, error);  // not every file system has them
        if (error) fs::copy_file(entry.path(), target, error);
        if (error) refuse_write(target, error.value());
    }
}

// "3,7-9", as sbatch --array takes numbers.
std::string list_of(const std::vector<uint32_t>& numbers, uint64_t first) {
    std::string list;
    for (size_t i = 0; i < numbers.size(); ++i) {
        size_t last = i;
        while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
        list += (list.empty() ? "" : ",") + std::to_string(first + numbers[i]);
        if (last > i) list += "-" + std::to_string(first + numbers[last]);
        i = last;
    }
    return list;
}

// A run whose shards have all ended.
class ShardedRun {
public:
    explicit ShardedRun(const BatchFolder& folder) : folder_(folder) {
        std::optional<RunFile> run = RunFile::read(folder.work().run_file());
        if (!run || run->numbering.shards == 0)
            throw Error("'" + folder.path().string() +
                        "' holds no parts of a run; name the folder that 'saccade batch --shard' "
                        "wrote to, with its .saccade/run.json");
        run_ = *std::move(run);
        shares_ = shares_of(run_.plan, count());
        holders_.resize(run_.plan.sources.size());
        for (uint32_t i = 0; i < count(); ++i)
            for (const PieceRange& range : shares_[i]) holders_[range.source].push_back(i);
    }

    uint32_t count() const { return run_.numbering.shards; }
    const BatchPlan& plan() const { return run_.plan; }
    BatchFolder part(uint32_t index) const { return folder_.part({index, count()}); }
    // The parts that have pieces of a source, in order.
    const std::vector<uint32_t>& holders(size_t source) const { return holders_[source]; }
    std::vector<WorkFolder> works(size_t source) const {
        std::vector<WorkFolder> works;
        for (const uint32_t part : holders_[source]) works.push_back(this->part(part).work());
        return works;
    }

    // An Error that says which parts are missing, unfinished, damaged or of another run.
    void expect_ended(bool quiet) const {
        Progress progress("checking parts", count(), quiet, "parts/s");
        progress.show_early();
        std::vector<uint32_t> lacking;
        std::string what;  // is the matter with the first of them
        for (uint32_t i = 0; i < count(); ++i, progress.step()) {
            end_if_interrupted();
            const std::string trouble = trouble_of(i);
            if (trouble.empty()) continue;
            if (lacking.empty()) what = trouble;
            lacking.push_back(i);
        }
        progress.end();
        if (lacking.empty()) return;
        const std::string in = " in '" + folder_.path().string() + "'";
        if (lacking.size() == 1) {
            const std::string name = Shard{lacking[0], count()}.text();
            throw Error("part " + name + " " + what + in + ": run the same command with --shard " +
                        name + " --resume");
        }
        const std::string of = std::to_string(count());
        throw Error(std::to_string(lacking.size()) + " of " + of + " parts, " +
                    list_of(lacking, 0) + ", are missing or not finished" + in +
                    ": run the same command with --shard I/" + of +
                    " --resume for each of them (Slurm: sbatch --array=" +
                    list_of(lacking, run_.numbering.first_task) + ")");
    }

private:
    std::string trouble_of(uint32_t index) const {
        const WorkFolder work = part(index).work();
        const std::optional<std::string> run = content_of(work.run_file());
        if (!run) return "is missing";
        if (*run != shard_json({index, count()}, run_.checksum))
            throw Error("'" + part(index).path().string() + "' belongs to another run than '" +
                        folder_.work().run_file().string() + "': remove it, and run it again");
        if (!part(index).find_damage(plan(), shares_[index]).empty())
            return "has lost some of what was done";
        return work.all_ended(plan(), shares_[index]) ? "" : "is not finished";
    }

    const BatchFolder folder_;
    RunFile run_;
    std::vector<std::vector<PieceRange>> shares_;  // of each shard
    std::vector<std::vector<uint32_t>> holders_;   // of each source
};

// Joins what is there of a source, and returns how many of its pieces are whole.
uint64_t join_source(const ShardedRun& parts, size_t number, const BatchFolder& to) {
    const PlannedSource& source = parts.plan().sources[number];
    const std::vector<WorkFolder> works = parts.works(number);
    const uint64_t pieces = to.write_video(parts.plan(), source, works);
    if (parts.plan().frames)
        for (const uint32_t part : parts.holders(number))
            gather_pictures(parts.part(part), to, source);
    to.write_heat(parts.plan(), source, works);
    return pieces;
}

void expect_joined(const ShardedRun& parts, size_t number, uint64_t pieces) {
    const PlannedSource& source = parts.plan().sources[number];
    for (const WorkFolder& work : parts.works(number))
        if (const std::optional<std::string> why = work.failure(source)) throw Error(*why);
    if (pieces == 0) throw Error("'" + source.source.name.text() + "' has no frames");
}

}  // namespace

MergeOutcome merge_parts(const fs::path& path, bool quiet) {
    const BatchFolder folder(path);
    if (!fs::is_directory(folder.work().path()))
        throw Error("'" + path.string() +
                    "' holds no parts of a run; name the folder that 'saccade batch --shard' "
                    "wrote to, with its .saccade/run.json");
    const FolderLock lock(folder.work().path());
    const ShardedRun parts(folder);
    const BatchPlan& plan = parts.plan();
    parts.expect_ended(quiet);
    folder.spare_sources(plan);
    FileBeside::remove_leftovers(path);

    MergeOutcome outcome{.parts = parts.count()};
    std::vector<uint64_t> pieces(plan.sources.size(), 0);  // of each source, that are whole
    Progress progress("joining sources", plan.sources.size(), quiet, "sources/s");
    progress.show_early();
    for (size_t i = 0; i < plan.sources.size(); ++i, progress.step()) try {
            end_if_interrupted();
            pieces[i] = join_source(parts, i, folder);
            expect_joined(parts, i, pieces[i]);
        } catch (const TemporaryError&) {
            throw;
        } catch (const Error& error) {
            progress.end();
            spdlog::error("{}", error.what());
            outcome.failed = true;
        }
    progress.end();

    // The piece after the last whole one may have been broken off; its lines count, later ones do
    // not.
    std::vector<fs::path> lines;
    for (uint32_t i = 0; i < parts.count(); ++i) lines.push_back(parts.part(i).lines());
    gather_lines(lines, folder.lines(), line_names(plan), [&](size_t source, uint64_t frame) {
        return plan.piece_of(frame) <= pieces[source];
    });
    folder.track_lines(plan, [&](size_t source) { return parts.works(source); });
    folder.write_tables(plan);
    return outcome;
}

}  // namespace saccade
