#include "app/batch/batch_run.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "app/batch/lines/frame_lines.h"
#include "app/io/interrupts.h"
#include "gpu/core/check.h"
#include "gpu/core/error.h"
#include "gpu/core/files.h"

namespace saccade {

namespace {

using Clock = std::chrono::steady_clock;
using End = BatchOutcome::End;

constexpr const char* is_saved = "; what is done is saved, --resume continues";

}  // namespace

BatchRun::BatchRun(const OpenRun& run) : run_(run), plan_(run.plan), work_(run.folder.work()) {}

bool BatchRun::needs_models() const {
    return std::ranges::any_of(run_.ranges, [&](const PieceRange& range) {
        const PlannedSource& source = plan_.sources[range.source];
        return source.error.empty() && !(run_.resumed && work_.is_done(source));
    });
}

uint64_t BatchRun::frames_left() const {
    uint64_t frames = 0;
    for (const PieceRange& range : run_.ranges) frames += saccade::frames_left(plan_, work_, range);
    return frames;
}

void BatchRun::start() {
    if (!run_.resumed) work_.begin(run_.run_json);
    lines_.emplace(run_.folder.lines(), run_.resumed);
}

BatchOutcome BatchRun::process(FramePath* path, const FrameOrder& order,
                               std::function<void(const Done&)> watch, bool quiet) {
    const auto start = Clock::now();
    Progress progress("batch", frames_left(), quiet);
    std::optional<SourceRunner> runner;
    if (path) {
        runner.emplace(*path, order, plan_, run_.folder, run_.shard.has_value());
        runner->show_to(std::move(watch));
    }
    for (const PieceRange& range : run_.ranges)
        if (Interrupts::came() || !process_source(range, runner ? &*runner : nullptr, progress))
            break;
    progress.end();
    const std::chrono::duration<double> took = Clock::now() - start;

    write_results();
    if (Interrupts::came() && !work_.all_ended(plan_, run_.ranges))
        report(std::string("interrupted") + is_saved, End::unfinished);
    const StageTotals totals = runner ? runner->totals() : StageTotals();
    if (end_ != End::done && !run_.resumed && totals.frames() == 0) remove_empty_lines();
    return {end_, totals, took.count()};
}

bool BatchRun::process_source(const PieceRange& range, SourceRunner* runner, Progress& progress) {
    const PlannedSource& source = plan_.sources[range.source];
    if (work_.is_done(source)) {
        if (!run_.shard) work_.remove_videos(source);
        return true;
    }
    progress.turn_to(source.source.name.text());
    const uint64_t wanted = saccade::frames_left(plan_, work_, range);
    const uint64_t of_others = progress.steps_left() - std::min(progress.steps_left(), wanted);
    try {
        if (!source.error.empty()) throw Error(source.error);
        runner->run(range, *lines_, progress);
    } catch (const OutOfMemory& error) {  // a source with smaller frames may still fit
        progress.end();
        report(error.what() + std::string(is_saved), End::unfinished);
    } catch (const TemporaryError& error) {
        progress.end();
        report(error.what() + std::string(is_saved), End::unfinished);
        return false;
    } catch (const Error& error) {
        progress.end();
        set_failed(source, error.what());
    }
    // Frames that could not be read, or that the container counted but does not have.
    progress.leave_out(progress.steps_left() - std::min(progress.steps_left(), of_others));
    return true;
}

void BatchRun::set_failed(const PlannedSource& source, const std::string& why) {
    report(why, End::failed);
    try {
        work_.set_failed(source, why);
    } catch (const Error&) {
        // The disk is full: the source has not ended then, and --resume tries it again.
        end_ = End::unfinished;
    }
}

void BatchRun::write_results() try {
    // A source that failed in an earlier run and went on in this one has lines behind those of
    // other sources.
    if (run_.resumed)
        gather_lines({run_.folder.lines()}, run_.folder.lines(), line_names(plan_, run_.ranges),
                     [](size_t, uint64_t) { return true; });
    if (run_.shard) return;
    for (const PlannedSource& source : plan_.sources)
        run_.folder.write_heat(plan_, source, {work_});
    run_.folder.write_tables(plan_);
} catch (const TemporaryError& error) {
    report(error.what() + std::string(is_saved), End::unfinished);
} catch (const Error& error) {
    report(error.what(), End::failed);
}

// A run that failed before its first frame leaves nothing that looks like a result.
void BatchRun::remove_empty_lines() const {
    std::error_code ignored;
    if (std::filesystem::file_size(run_.folder.lines(), ignored) == 0)
        std::filesystem::remove(run_.folder.lines(), ignored);
}

void BatchRun::report(const std::string& error, BatchOutcome::End end) {
    spdlog::error("{}", error);
    end_ = std::max(end_, end);
}

}  // namespace saccade
