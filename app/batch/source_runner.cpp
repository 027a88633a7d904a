#include "app/batch/source_runner.h"

#include <algorithm>

#include "app/batch/plan/examine.h"
#include "app/io/interrupts.h"
#include "gpu/core/error.h"
#include "gpu/core/files.h"

namespace saccade {

namespace {

namespace fs = std::filesystem;

// The colours of features follow those of the frame before. They restart with each piece, so that
// they do not depend on where a run was resumed or how it was sharded.
void restart_colours_with_each_piece(FrameOrder& order, const BatchPlan& plan) {
    order.decide = [&plan, decide = std::move(order.decide)](FrameOrder& frame,
                                                             const FrameResult& known) {
        if (decide) decide(frame, known);
        const uint64_t index = known.info.index;
        frame.colours_anew = plan.first_of(plan.piece_of(index)) == index;
    };
}

}  // namespace

SourceRunner::SourceRunner(FramePath& path, FrameOrder order, const BatchPlan& plan,
                           BatchFolder folder, bool part)
    : path_(path),
      order_(std::move(order)),
      tracking_(tracking_for(order_.overlay.filter.threshold)),
      plan_(plan),
      folder_(std::move(folder)),
      work_(folder_.work()),
      part_(part) {
    if (order_.attention.mode == AttentionMode::colours)
        restart_colours_with_each_piece(order_, plan_);
}

FrameTracker SourceRunner::tracker_at(const PlannedSource& source, uint64_t end) const {
    using Mode = FrameTracker::Mode;
    const bool later = part_ && !plan_.tracks_while_drawing();
    FrameTracker tracker(tracking_, later ? Mode::observe : Mode::track, plan_.regions());
    if (later) return tracker;
    for (uint64_t piece = 0; piece < end; ++piece) {
        const std::string bytes = content_of(work_.observed(source, piece)).value_or("");
        for (std::string_view rest = bytes; !rest.empty();) tracker.step(take_first(rest));
    }
    return tracker;
}

void SourceRunner::run(const PieceRange& range, LineFile& lines, Progress& progress) {
    const PlannedSource& source = plan_.sources[range.source];
    fs::path pictures;
    if (plan_.frames) pictures = folder_.pictures(source);
    std::error_code error;
    fs::create_directories(work_.folder(source), error);
    if (!pictures.empty()) fs::create_directories(pictures, error);
    if (error)
        throw Error("no folder can be made in '" + folder_.path().string() +
                    "': " + error.message());
    FileBeside::remove_leftovers(pictures);

    const uint64_t first_piece = work_.next_piece(source, range);
    PieceWriter writer(plan_, source, first_piece, {work_, pictures, lines, totals_},
                       path_.labels());
    const uint64_t first = plan_.first_of(first_piece), end = plan_.first_of(range.end_piece);
    std::exception_ptr broken_off;
    if (first < end) {
        std::unique_ptr<Source> opened = source.source.open(plan_.source_options);
        check_unchanged(plan_, source, opened->traits());
        Reader reader(std::move(opened), path_.ring(),
                      {.first = first, .end = end, .stride = plan_.range.stride});
        FrameTracker tracker = tracker_at(source, plan_.track ? first_piece : 0);
        order_.tracker = plan_.track ? &tracker : nullptr;
        broken_off = pump_frames(reader, writer, first, progress);
        path_.drop();  // frames left on the path refer to the tracker
    }
    const bool whole = !broken_off && !Interrupts::came();
    writer.finish(whole, range.end_piece);
    const uint64_t pieces = part_ ? 0 : folder_.write_video(plan_, source, {work_});
    if (broken_off) std::rethrow_exception(broken_off);
    if (!whole) return;
    if (!part_ && pieces == 0) throw Error("'" + source.source.name.text() + "' has no frames");
    const uint64_t done = work_.next_piece(source, range) - range.first_piece;
    const bool joined = !part_ && plan_.video;
    work_.set_done(source, done, joined ? folder_.video(source) : fs::path());
    if (joined) work_.remove_videos(source);
}

std::exception_ptr SourceRunner::pump_frames(Reader& reader, PieceWriter& writer, uint64_t first,
                                             Progress& progress) {
    std::exception_ptr unreadable;
    uint64_t expected = first;
    auto next = [&]() -> std::optional<TakenFrame> {
        if (Interrupts::came()) return std::nullopt;
        try {
            return reader.next();
        } catch (const Error&) {  // the frames before it are still processed
            unreadable = std::current_exception();
            return std::nullopt;
        }
    };
    try {
        pump(path_, order_, next, [&](Done frame) {
            if (watcher_) watcher_(frame);
            // Pictures that cannot be read leave gaps in the numbering.
            const uint64_t index = frame.result.info.index;
            progress.leave_out((index - std::min(expected, index)) / plan_.range.stride);
            expected = index + plan_.range.stride;
            writer.add(std::move(frame));
            progress.step();
        });
    } catch (const Error&) {  // of the device, or of the disk, which finish() throws again
        return std::current_exception();
    }
    return unreadable;
}

}  // namespace saccade
