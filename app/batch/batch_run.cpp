#include "app/batch/batch_run.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "app/batch/lines/frame_lines.h"
#include "app/batch/resume.h"
#include "app/io/interrupts.h"
#include "gpu/core/check.h"
#include "gpu/core/error.h"
#include "gpu/core/files.h"

namespace saccade {

namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

BatchRun::BatchRun(const BatchPlan& plan, const std::filesystem::path& folder,
                   std::optional<Shard> shard)
    : plan_(plan),
      shard_(shard),
      ranges_(ranges_of(plan, shard.value_or(Shard{}))),
      folder_(shard ? BatchFolder(folder).part(*shard) : BatchFolder(folder)),
      work_(folder_.work()) {
    BatchFolder(folder).make_for(plan);
    make_folder(work_.path());
    lock_.emplace(work_.path());
}

void BatchRun::start(bool resume) {
    resumed_ = start_or_resume(folder_, plan_, shard_.value_or(Shard{}), resume);
    lines_.emplace(folder_.lines(), resumed_);
}

uint64_t BatchRun::frames_left() const {
    uint64_t frames = 0;
    for (const PieceRange& range : ranges_) frames += saccade::frames_left(plan_, work_, range);
    return frames;
}

BatchOutcome BatchRun::process(FramePath& path, const FrameOrder& order,
                               std::function<void(const Done&)> watch, bool quiet) {
    const auto start = Clock::now();
    Progress progress("batch", frames_left(), quiet);
    SourceRunner runner(path, order, plan_, folder_, shard_.has_value());
    runner.show_to(std::move(watch));
    for (const PieceRange& range : ranges_)
        if (Interrupts::came() || !process_source(range, runner, progress)) break;
    progress.end();
    const std::chrono::duration<double> took = Clock::now() - start;

    write_results();
    if (Interrupts::came() && !work_.all_ended(plan_, ranges_))
        report("interrupted; the frames done so far are saved, --resume continues");
    if (failed_ && !resumed_ && runner.totals().frames() == 0) remove_empty_lines();
    return {failed_, runner.totals(), took.count()};
}

bool BatchRun::process_source(const PieceRange& range, SourceRunner& runner, Progress& progress) {
    const PlannedSource& source = plan_.sources[range.source];
    if (work_.is_done(source)) {
        if (!shard_) work_.remove_videos(source);
        return true;
    }
    progress.turn_to(source.source.text);
    const uint64_t wanted = saccade::frames_left(plan_, work_, range);
    const uint64_t of_others = progress.steps_left() - std::min(progress.steps_left(), wanted);
    try {
        runner.run(range, *lines_, progress);
    } catch (const DeviceLost& lost) {
        progress.end();
        report(std::string(lost.what()) + "; what is done is saved, --resume continues");
        return false;
    } catch (const Error& error) {
        progress.end();
        report(error.what());
        try {
            work_.set_failed(source, error.what());
        } catch (const Error&) {
            // The disk is full: the source has not ended then, and --resume tries it again.
        }
    }
    // Frames that could not be read, or that the container counted but does not have.
    progress.leave_out(progress.steps_left() - std::min(progress.steps_left(), of_others));
    return true;
}

void BatchRun::write_results() try {
    // A source that failed in an earlier run and went on in this one has lines behind those of
    // other sources.
    if (resumed_)
        gather_lines({folder_.lines()}, folder_.lines(), plan_.line_names(),
                     [](size_t, uint64_t) { return true; });
    if (shard_) return;
    folder_.write_heats(plan_, {work_});
    folder_.write_tables(plan_);
} catch (const Error& error) {
    report(error.what());
}

// A run that failed before its first frame leaves nothing that looks like a result.
void BatchRun::remove_empty_lines() const {
    std::error_code ignored;
    if (std::filesystem::file_size(folder_.lines(), ignored) == 0)
        std::filesystem::remove(folder_.lines(), ignored);
}

void BatchRun::report(const std::string& error) {
    spdlog::error("{}", error);
    failed_ = true;
}

}  // namespace saccade
