#include "app/batch/piece_writer.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <utility>

#include "app/io/picture_file.h"
#include "gpu/core/error.h"
#include "gpu/core/files.h"

namespace saccade {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

std::string png_name(uint64_t frame) {
    char name[32];
    std::snprintf(name, sizeof name, "%06llu.png", static_cast<unsigned long long>(frame));
    return name;
}

}  // namespace

WritingLimits WritingLimits::of_this_machine() {
    const size_t cores = std::max<size_t>(2, std::thread::hardware_concurrency());
    const auto pages = static_cast<uint64_t>(std::max(0L, ::sysconf(_SC_PHYS_PAGES)));
    const auto page_bytes = static_cast<uint64_t>(std::max(0L, ::sysconf(_SC_PAGESIZE)));
    // Each encoder has four threads of its own.
    return {.threads = cores,
            .pieces = std::max<size_t>(2, cores / 2),
            .bytes = std::min(uint64_t{1} << 30, pages * page_bytes / 8)};
}

// Times one thread's work on a frame. Threads share the machine, so the time is divided by the
// number of threads that were busy.
class PieceWriter::Busy {
public:
    explicit Busy(PieceWriter& writer) : writer_(writer), sharing_(++writer.busy_) {}
    ~Busy() { --writer_.busy_; }
    Busy(const Busy&) = delete;
    Busy& operator=(const Busy&) = delete;
    double ms() const {
        const std::chrono::duration<double, std::milli> took = Clock::now() - begin_;
        return took.count() / double(sharing_);
    }

private:
    PieceWriter& writer_;
    size_t sharing_;
    Clock::time_point begin_ = Clock::now();
};

PieceWriter::PieceWriter(const BatchPlan& plan, const PlannedSource& source, uint64_t first_piece,
                         PieceOutputs to, ResultLabels labels, const WritingLimits& limits)
    : plan_(plan),
      source_(source),
      work_(to.work),
      pictures_(std::move(to.pictures)),
      lines_(to.lines),
      labels_(std::move(labels)),
      totals_(to.totals),
      clock_(source.rate),
      limits_(limits),
      next_piece_(first_piece),
      workers_(limits.threads) {}

PieceWriter::~PieceWriter() {
    const std::scoped_lock lock(mutex_);
    stopped_ = true;
}

void PieceWriter::add(Done frame) {
    std::unique_lock lock(mutex_);
    Piece& piece = turn_to(plan_.piece_of(frame.result.info.index), lock);
    auto made = std::make_unique<Job>();
    Job& job = *made;
    job.result = std::move(frame.result);
    job.observed = std::move(frame.observed);
    if (plan_.heat && frame.attention)
        piece.manifest.heat.add(frame.attention->cells, frame.attention->geometry,
                                job.result.info.size);
    const uint64_t pixels = uint64_t(frame.picture.row_bytes) * frame.picture.height;
    wait_for_room(
        (plan_.video ? frame.planes.layout.bytes() : 0) + (pictures_.empty() ? 0 : pixels), lock);
    if (plan_.video) {
        job.layout = frame.planes.layout;
        job.planes = copy(frame.planes.memory, job.layout.bytes(), lock);
        ++job.left;
    }
    if (!pictures_.empty()) {
        const PictureView& picture = frame.picture;
        job.row_bytes = picture.row_bytes;
        job.pixels = copy(picture.pixels, pixels, lock);
        ++job.left;
    }
    frame.frame.release();  // its slot is free for the next frame
    piece.jobs.push_back(std::move(made));
    if (!pictures_.empty()) workers_.submit([this, &job] { write_pixels(job); });
    if (plan_.video) {
        piece.to_encode.push_back(&job);
        piece.has_video = true;
        start_encoding(piece);
    }
    commit();
    rethrow();
}

void PieceWriter::finish(bool whole, uint64_t end) {
    std::unique_lock lock(mutex_);
    close_last(whole);
    if (whole && end != UINT64_MAX && next_piece_ < end) {
        turn_to(end - 1, lock);
        close_last(true);
    }
    changed_.wait(lock, [&] { return pieces_.empty() || error_; });
    rethrow();
}

// Opens pieces up to this one. A piece of which no picture could be read stays empty.
PieceWriter::Piece& PieceWriter::turn_to(uint64_t number, std::unique_lock<std::mutex>& lock) {
    while (next_piece_ <= number) {
        close_last(true);
        changed_.wait(lock, [&] { return pieces_.size() < limits_.pieces || error_; });
        rethrow();
        pieces_.push_back(std::make_unique<Piece>(Piece{.number = next_piece_++}));
    }
    return *pieces_.back();
}

void PieceWriter::close_last(bool whole) {
    if (pieces_.empty() || pieces_.back()->closed) return;
    Piece& piece = *pieces_.back();
    piece.closed = true;
    piece.whole = whole;
    if (piece.has_video)
        start_encoding(piece);
    else
        piece.ended = true;
    commit();
}

// Waits for the room of all outputs of a frame at once: two waits could deadlock, each output
// holding what the other needs.
void PieceWriter::wait_for_room(uint64_t bytes, std::unique_lock<std::mutex>& lock) {
    changed_.wait(lock, [&] {
        return waiting_bytes_ == 0 || waiting_bytes_ + bytes <= limits_.bytes || error_;
    });
    rethrow();
}

// Copies into recycled memory.
PieceWriter::Memory PieceWriter::copy(const uint8_t* bytes, uint64_t count,
                                      std::unique_lock<std::mutex>& lock) {
    waiting_bytes_ += count;
    Memory memory;
    if (!spare_.empty()) {
        memory = std::move(spare_.back());
        spare_.pop_back();
    }
    lock.unlock();
    memory.assign(bytes, bytes + count);
    lock.lock();
    return memory;
}

void PieceWriter::give_back(Memory memory) {
    waiting_bytes_ -= memory.size();
    spare_.push_back(std::move(memory));
}

// At most one thread encodes a piece, so that its frames stay in order.
void PieceWriter::start_encoding(Piece& piece) {
    if (std::exchange(piece.encoding, true)) return;
    workers_.submit([this, &piece] { encode(piece); });
}

// Runs on a worker: encodes all queued frames, and finishes the video of a closed piece.
void PieceWriter::encode(Piece& piece) {
    std::unique_lock lock(mutex_);
    while (!error_ && !stopped_) {
        if (piece.to_encode.empty() && !piece.closed) break;
        const bool ends = piece.to_encode.empty();
        Job* const job = ends ? nullptr : piece.to_encode.front();
        if (job) piece.to_encode.pop_front();
        const Busy busy(*this);
        lock.unlock();
        std::exception_ptr error;
        try {
            if (job)
                encode_frame(piece, *job);
            else
                finish_video(piece);
        } catch (...) {
            error = std::current_exception();
        }
        lock.lock();
        if (error) return fail(error);
        if (job) {
            job->ms += busy.ms();
            give_back(std::move(job->planes));
            --job->left;
        }
        piece.ended = ends;
        commit();
        if (ends) return;  // the piece may be gone
    }
    piece.encoding = false;
}

void PieceWriter::encode_frame(Piece& piece, Job& job) {
    if (!piece.video)
        piece.video = std::make_unique<VideoWriter>(work_.partial(source_, piece.number),
                                                    source_.size, clock_);
    piece.video->write({job.planes.data(), job.layout}, clock_.ticks(job.result.info.time));
}

void PieceWriter::finish_video(Piece& piece) {
    piece.video->finish();
    piece.manifest.video = checksum_of(work_.partial(source_, piece.number));
}

void PieceWriter::write_pixels(Job& job) {
    std::unique_lock lock(mutex_);
    if (error_ || stopped_) return;
    const Busy busy(*this);
    lock.unlock();
    std::exception_ptr error;
    try {
        const Size size = job.result.info.size;
        const std::string name = png_name(job.result.info.index);
        write_picture(pictures_ / name,
                      cv::Mat(static_cast<int>(size.y), static_cast<int>(size.x), CV_8UC3,
                              job.pixels.data(), job.row_bytes),
                      Sync::yes);
        if (const std::optional<Checksum> sum = checksum_of(pictures_ / name))
            job.picture = {name, *sum};
    } catch (...) {
        error = std::current_exception();
    }
    lock.lock();
    if (error) return fail(error);
    job.ms += busy.ms();
    give_back(std::move(job.pixels));
    --job.left;
    commit();
}

// Writes the lines and manifests of what is done, in order, as far as nothing unfinished comes
// before.
void PieceWriter::commit() {
    try {
        while (!error_ && !stopped_ && !pieces_.empty()) {
            Piece& piece = *pieces_.front();
            for (; !piece.jobs.empty() && piece.jobs.front()->left == 0; piece.jobs.pop_front())
                write_line(piece, *piece.jobs.front());
            if (!piece.ended || !piece.jobs.empty()) break;
            if (piece.whole)
                make_whole(piece);
            else
                write_observed(piece, work_.partly_observed(source_, piece.number));
            pieces_.pop_front();
        }
    } catch (...) {
        return fail(std::current_exception());
    }
    changed_.notify_all();
}

void PieceWriter::write_line(Piece& piece, Job& job) {
    FrameResult& result = job.result;
    if (plan_.video || plan_.frames) result.ms.emplace_back("encode", job.ms);
    const std::string line = line_of(result, labels_);
    lines_.add(line);
    piece.lines.add(line);
    if (plan_.track) append(piece.observed, job.observed);
    if (job.picture) piece.manifest.pictures.insert(std::move(*job.picture));
    totals_.add(result);
}

// The manifest comes last: it vouches for the other files.
void PieceWriter::make_whole(Piece& piece) const {
    lines_.sync();
    if (piece.has_video)
        put_in_place(work_.partial(source_, piece.number), work_.video(source_, piece.number),
                     Sync::yes);
    const fs::path observed = work_.observed(source_, piece.number);
    write_observed(piece, observed);
    if (plan_.track) piece.manifest.observed = checksum_of(observed);
    piece.manifest.lines = piece.lines.finish();
    piece.manifest.write(work_.manifest(source_, piece.number));
}

void PieceWriter::write_observed(const Piece& piece, const fs::path& to) const {
    if (!plan_.track) return;
    NewFile file(to);
    file.write(piece.observed);
    file.finish(Sync::yes);
}

void PieceWriter::fail(std::exception_ptr error) {
    if (!error_) error_ = std::move(error);
    changed_.notify_all();
}

void PieceWriter::rethrow() const {
    if (error_) std::rethrow_exception(error_);
}

}  // namespace saccade
