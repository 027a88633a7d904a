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

#include "app/batch/lines/seal.h"
#include "app/batch/plan.h"
#include "app/batch/stage_totals.h"
#include "app/batch/work_folder.h"
#include "app/batch/workers.h"
#include "app/io/line_file.h"
#include "app/pipeline/frame_order.h"
#include "app/video/video_writer.h"

namespace saccade {

// How much is written at the same time. It decides how fast frames are written, never what.
struct WritingLimits {
    size_t threads = 2;
    size_t pieces = 2;                   // that are open at a time, each with its encoder
    uint64_t bytes = uint64_t{1} << 30;  // of pictures that wait for a thread

    // As many threads as there are cores, and an eighth of the memory, at most 1 GiB.
    static WritingLimits of_this_machine();
};

// Where a PieceWriter puts what it makes. `pictures` is a folder; empty: none are written.
struct PieceOutputs {
    const WorkFolder& work;
    std::filesystem::path pictures;
    LineFile& lines;
    StageTotals& totals;
};

// Writes the frames of a share: pictures where they are wanted, the video, and then the line that
// says that the frame is done. Several pieces are encoded at the same time, each by one encoder
// frame after frame; picture files are written by any thread. Lines are written in the order of the
// frames, and pieces become whole one after the other: a run that is killed at any moment has whole
// pieces first, and then none.
class PieceWriter {
public:
    PieceWriter(const BatchPlan& plan, const PlannedSource& source, uint64_t first_piece,
                PieceOutputs to, ResultLabels labels,
                const WritingLimits& limits = WritingLimits::of_this_machine());
    ~PieceWriter();  // without finish() the pieces that are not whole are lost

    // Copies the pictures and gives the frame back. Waits only if too many are waiting already.
    // Throws what went wrong with this frame or one before.
    void add(Done frame);
    // Ends the last piece, and where the share is whole says so of all pieces before `end`. Waits
    // until all is written.
    void finish(bool whole, uint64_t end);

private:
    using Memory = std::vector<uint8_t>;
    struct Job {  // a frame whose line is not written yet
        FrameResult result;
        Observations observed;
        Memory planes, pixels;
        PlaneLayout layout;
        uint32_t row_bytes = 0;  // of the pixels
        int left = 0;            // how many of its pictures are not written yet
        std::optional<std::pair<std::string, Sum>> picture;  // the file that was written
        double ms = 0;
    };
    struct Piece {
        uint64_t number;
        std::deque<std::unique_ptr<Job>> jobs = {};
        std::deque<Job*> to_encode = {};
        std::unique_ptr<VideoWriter> video = {};
        bool has_video = false;
        bool encoding = false;  // by one of the threads
        bool closed = false;    // no more frames will come
        bool whole = false;     // all frames have come
        bool ended = false;     // its video is finished
        Seal seal = {};         // of what has been written
        LineSum lines = {};
        std::string observed = {};  // of all frames whose lines are written
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

    // All below is used by several threads.
    std::mutex mutex_;
    std::condition_variable changed_;
    uint64_t next_piece_;                        // to be opened
    std::deque<std::unique_ptr<Piece>> pieces_;  // that are not whole yet, in order
    std::vector<Memory> spare_;
    uint64_t waiting_bytes_ = 0;
    size_t busy_ = 0;  // threads that write pictures
    std::exception_ptr error_;
    bool stopped_ = false;
    Workers workers_;  // the last one: it ends first
};

}  // namespace saccade
