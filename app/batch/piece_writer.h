#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/batch/lines/manifest.h"
#include "app/batch/plan/plan.h"
#include "app/batch/stage_totals.h"
#include "app/batch/work_folder.h"
#include "app/batch/workers.h"
#include "app/io/line_file.h"
#include "app/pipeline/frame_order.h"
#include "app/video/video_writer.h"

namespace saccade {

// How much is written at the same time. It affects the speed, never the output.
struct WritingLimits {
    size_t threads = 2;
    size_t pieces = 2;                   // open at a time, each with its own encoder
    uint64_t bytes = uint64_t{1} << 30;  // of frames that are queued for a thread

    // One thread per core, and an eighth of the memory, at most 1 GiB.
    static WritingLimits of_this_machine();
};

// Where a PieceWriter puts what it makes. `pictures` is a folder; empty: none are written.
struct PieceOutputs {
    const WorkFolder& work;
    std::filesystem::path pictures;
    LineFile& lines;
    StageTotals& totals;
};

// Writes the frames of one source: its pictures, its video, and then its line of FRAMES.jsonl,
// which marks the frame as done. Several pieces are encoded at the same time, each by an encoder of
// its own; any thread writes picture files. Lines are written in the order of the frames, and
// pieces become whole in order: after a kill, no whole piece follows one that is not.
class PieceWriter {
public:
    PieceWriter(const BatchPlan& plan, const PlannedSource& source, uint64_t first_piece,
                PieceOutputs to, ResultLabels labels,
                const WritingLimits& limits = WritingLimits::of_this_machine());
    ~PieceWriter();  // without finish(), pieces that are not whole yet are lost

    // Copies the pixels and releases the frame's slot. Blocks while the queue is full. Throws the
    // first error of this or an earlier frame.
    void add(Done frame);
    // Closes the last piece and waits until everything is written. With `whole`, the source was
    // read to the end of its range: all pieces before `end` become whole, even those without
    // frames.
    void finish(bool whole, uint64_t end);

private:
    using Memory = std::vector<uint8_t>;
    struct Job {  // a frame whose line is not written yet
        FrameResult result;
        Observations observed;
        Memory planes, pixels;
        PlaneLayout layout;
        uint32_t row_bytes = 0;  // of the pixels
        int left = 0;            // outputs (video, picture) that are not written yet
        std::optional<std::pair<std::string, Checksum>> picture;  // the file that was written
        double ms = 0;
    };
    struct Piece {
        uint64_t number;
        std::deque<std::unique_ptr<Job>> jobs = {};
        std::deque<Job*> to_encode = {};
        std::unique_ptr<VideoWriter> video = {};
        bool has_video = false;
        bool encoding = false;  // a thread is encoding it
        bool closed = false;    // it gets no more frames
        bool whole = false;     // it got all of its frames
        bool ended = false;     // its video is finished
        PieceManifest manifest = {};
        LineDigest lines = {};
        std::string observed = {};  // the tracker's observations of frames with written lines
    };
    class Busy;

    Piece& turn_to(uint64_t number, std::unique_lock<std::mutex>& lock);
    void close_last(bool whole);
    void wait_for_room(uint64_t bytes, std::unique_lock<std::mutex>& lock);
    Memory copy(const uint8_t* bytes, uint64_t count, std::unique_lock<std::mutex>& lock);
    void give_back(Memory memory);
    void start_encoding(Piece& piece);
    void encode(Piece& piece);
    void encode_frame(Piece& piece, Job& job);
    void finish_video(Piece& piece);
    void write_pixels(Job& job);
    void commit();
    void write_line(Piece& piece, Job& job);
    void make_whole(Piece& piece) const;
    void write_observed(const Piece& piece, const std::filesystem::path& to) const;
    void fail(std::exception_ptr error);
    void rethrow() const;

    const BatchPlan& plan_;
    const PlannedSource& source_;
    const WorkFolder& work_;
    const std::filesystem::path pictures_;
    LineFile& lines_;
    const ResultLabels labels_;
    StageTotals& totals_;
    const VideoClock clock_;
    const WritingLimits limits_;

    // mutex_ guards everything below.
    std::mutex mutex_;
    std::condition_variable changed_;
    uint64_t next_piece_;                        // the next to be opened
    std::deque<std::unique_ptr<Piece>> pieces_;  // open or unwritten, in order
    std::vector<Memory> spare_;
    uint64_t waiting_bytes_ = 0;
    size_t busy_ = 0;  // threads that encode
    std::exception_ptr error_;
    bool stopped_ = false;
    Workers workers_;  // last, so that its threads end before the other members do
};

}  // namespace saccade
