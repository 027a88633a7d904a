#include "app/batch/runner.h"

#include "app/file_beside.h"
#include "app/interrupts.h"
#include "gpu/error.h"

namespace saccade {

namespace {

namespace fs = std::filesystem;

// Frames must have left the pipeline before their Reader goes.
class Emptied {
public:
    explicit Emptied(FramePipeline& pipeline) : pipeline_(pipeline) {}
    Emptied(const Emptied&) = delete;
    Emptied& operator=(const Emptied&) = delete;
    ~Emptied() {
        while (!pipeline_.empty()) try {
                pipeline_.finish();
            } catch (const std::exception&) {
                // The error that brought us here is the one to tell.
            }
    }

private:
    FramePipeline& pipeline_;
};

}  // namespace

BatchRunner::BatchRunner(FramePipeline& pipeline, const BatchPlan& plan, BatchFolder folder,
                         bool part)
    : pipeline_(pipeline),
      plan_(plan),
      folder_(std::move(folder)),
      work_(folder_.work()),
      part_(part) {}

void BatchRunner::run(const Share& share, const SourceOptions& options, LineFile& lines,
                      Progress& progress) {
    const PlannedSource& source = plan_.sources[share.source];
    if (!source.trouble.empty()) throw Error(source.trouble);
    fs::path pictures;
    if (plan_.frames) pictures = folder_.pictures(source);
    std::error_code error;
    fs::create_directories(work_.folder(source), error);
    if (!pictures.empty()) fs::create_directories(pictures, error);
    if (error)
        throw Error("no folder can be made in '" + folder_.path().string() +
                    "': " + error.message());
    FileBeside::remove_leftovers(pictures);

    const uint64_t first_piece = work_.next_piece(source, share);
    PieceWriter writer(plan_, source, work_, first_piece, pictures, lines, pipeline_.labels(),
                       totals_);
    const uint64_t first = plan_.first_of(first_piece), end = plan_.first_of(share.end_piece);
    std::exception_ptr unreadable;
    if (first < end) {
        Reader reader(
            source.source.open(options), pipeline_.make_slot(),
            {.first = first, .end = end, .stride = plan_.range.stride, .slots = pipeline_.slots()});
        const Emptied emptied(pipeline_);
        FrameSink sink([&](FramePipeline::Finished frame) { writer.add(std::move(frame)); });
        unreadable = pump(reader, sink, progress);
    }
    const bool whole = !unreadable && !Interrupts::came();
    writer.finish(whole, share.end_piece);
    const uint64_t pieces = part_ ? 0 : folder_.write_video(plan_, source, {work_});
    if (unreadable) std::rethrow_exception(unreadable);
    if (!whole) return;
    if (!part_ && pieces == 0) throw Error("'" + source.source.text + "' has no frames");
    work_.set_done(source);
    if (!part_) work_.remove_pieces(source);
}

std::exception_ptr BatchRunner::pump(Reader& reader, FrameSink& sink, Progress& progress) {
    std::exception_ptr unreadable;
    auto finish_one = [&] {
        sink.put(pipeline_.finish());
        progress.step();
    };
    while (!Interrupts::came()) {
        std::optional<TakenFrame> frame;
        try {
            frame = reader.next();
        } catch (const Error&) {
            unreadable = std::current_exception();
        }
        if (!frame) break;
        while (!pipeline_.has_room_for(*frame)) finish_one();
        pipeline_.begin(std::move(*frame));
    }
    while (!pipeline_.empty()) finish_one();
    sink.close();
    return unreadable;
}

}  // namespace saccade
