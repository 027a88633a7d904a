#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/batch/plan.h"

namespace saccade {

// All that is in a file; nothing where it cannot be read.
std::optional<std::string> content_of(const std::filesystem::path& path);

// What a run has done so far, on disk, so that a run that is killed at any moment can go on:
//   run.json                what is to be done
//   lock                    who is at work here
//   NAME/000000.nut         the video of a piece of a source
//   NAME/000000.seen        what a tracker was told of its frames, to track them again
//   NAME/000000.whole       the piece's seal, which appears when all that belongs to the piece is on
//                           the disk: its lines of FRAMES.jsonl, its pictures, its video
//   NAME/000001.partial.nut one that was broken off, and is done again
//   NAME/done, NAME/failed  the source has ended; its seal, or why
class WorkFolder {
public:
    explicit WorkFolder(std::filesystem::path path) : path_(std::move(path)) {}
    const std::filesystem::path& path() const { return path_; }

    // What is to be done, and by which shard; nothing where no run has begun here.
    std::optional<nlohmann::ordered_json> run() const;
    // Begins a run: forgets what was here.
    void begin(const nlohmann::ordered_json& run) const;
    // Whether all sources of a share have ended.
    bool all_ended(const BatchPlan& plan, const std::vector<Share>& shares) const;

    // Removes what a killed run has left unfinished.
    void clean_up(const BatchPlan& plan) const;
    // Of this piece and those behind it, that they are done, and that the source is.
    void forget(const PlannedSource& source, uint64_t piece) const;
    // The first piece of a share that is not whole.
    uint64_t next_piece(const PlannedSource& source, const Share& share) const;

    std::filesystem::path folder(const PlannedSource& source) const;
    std::filesystem::path seal(const PlannedSource& source, uint64_t piece) const;
    std::filesystem::path done(const PlannedSource& source) const;
    std::filesystem::path video(const PlannedSource& source, uint64_t piece) const;
    std::filesystem::path partial(const PlannedSource& source, uint64_t piece) const;
    std::filesystem::path observed(const PlannedSource& source, uint64_t piece) const;
    std::filesystem::path partly_observed(const PlannedSource& source, uint64_t piece) const;

    bool is_done(const PlannedSource& source) const;
    std::optional<std::string> failure(const PlannedSource& source) const;
    // `pieces`: how many it has. `video`: the file they were joined into, if they were.
    void set_done(const PlannedSource& source, uint64_t pieces,
                  const std::filesystem::path& video) const;
    // Those of a source that is done and needs them no more.
    void remove_videos(const PlannedSource& source) const;
    void set_failed(const PlannedSource& source, const std::string& why) const;

private:
    std::filesystem::path path_;
};

}  // namespace saccade
