#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/batch/plan/shard.h"

namespace saccade {

// The progress of a run on disk, so that a run that is killed at any moment can be resumed:
//   run.json                the plan and how it is split (RunFile); of a shard, its number and the
//                           checksum of that file
//   lock                    the process that works here
//   NAME/000000.nut         the video of a piece of a source
//   NAME/000000.seen        the tracker's observations of its frames, to replay them
//   NAME/000000.whole       the piece's manifest, written once everything of the piece is on disk:
//                           its lines of FRAMES.jsonl, its pictures, its video
//   NAME/000001.partial.nut a piece that was broken off, and is processed again
//   NAME/done, NAME/failed  the source has ended: its manifest, or the error
class WorkFolder {
public:
    explicit WorkFolder(std::filesystem::path path) : path_(std::move(path)) {}
    const std::filesystem::path& path() const { return path_; }

    std::filesystem::path run_file() const { return path_ / "run.json"; }
    // Starts a run with this run.json, and deletes the progress of an earlier one.
    void begin(const std::string& run) const;
    // Whether all sources of these ranges are done or have failed.
    bool all_ended(const BatchPlan& plan, const std::vector<PieceRange>& ranges) const;

    // Removes the unfinished files of a killed run.
    void clean_up(const BatchPlan& plan, const std::vector<PieceRange>& ranges) const;
    // Marks this piece, all after it, and the source as not done.
    void forget(const PlannedSource& source, uint64_t piece) const;
    // The first piece of a range that is not whole yet.
    uint64_t next_piece(const PlannedSource& source, const PieceRange& range) const;

    std::filesystem::path folder(const PlannedSource& source) const;
    std::filesystem::path manifest(const PlannedSource& source, uint64_t piece) const;
    std::filesystem::path done(const PlannedSource& source) const;
    std::filesystem::path video(const PlannedSource& source, uint64_t piece) const;
    std::filesystem::path partial(const PlannedSource& source, uint64_t piece) const;
    std::filesystem::path observed(const PlannedSource& source, uint64_t piece) const;
    std::filesystem::path partly_observed(const PlannedSource& source, uint64_t piece) const;

    bool is_done(const PlannedSource& source) const;
    std::optional<std::string> failure(const PlannedSource& source) const;
    // `pieces`: how many the source has. `video`: the file that they were joined into, if any.
    void set_done(const PlannedSource& source, uint64_t pieces,
                  const std::filesystem::path& video) const;
    // Deletes the videos of the pieces, once they are joined.
    void remove_videos(const PlannedSource& source) const;
    void set_failed(const PlannedSource& source, const std::string& why) const;

private:
    std::filesystem::path path_;
};

}  // namespace saccade
