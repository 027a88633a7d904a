#pragma once

#include <filesystem>
#include <vector>

#include "app/batch/plan.h"
#include "app/batch/work_folder.h"

namespace saccade {

// From this piece of a source on, what was done is not there any more as it was.
struct Damage {
    size_t source;
    uint64_t piece;
};

// Where a run leaves what it makes: FRAMES.jsonl and tables for all sources together, NAME.mp4,
// NAME-heat.png and the folder NAME-frames for each. A part of a run has a folder of its own in there, without tables
// and with the videos still in pieces.
class BatchFolder {
public:
    explicit BatchFolder(std::filesystem::path path) : path_(std::move(path)) {}
    BatchFolder part(const Shard& shard) const;
    // How many parts the run has that some have been done of here; 0 where there are none.
    uint32_t parts() const;

    const std::filesystem::path& path() const { return path_; }
    std::filesystem::path lines() const { return path_ / "FRAMES.jsonl"; }
    std::filesystem::path video(const PlannedSource& source) const;
    std::filesystem::path pictures(const PlannedSource& source) const;
    std::filesystem::path heat(const PlannedSource& source) const;
    WorkFolder work() const { return WorkFolder(path_ / ".saccade"); }

    // Makes the folder. An Error where a source would be written over.
    void make_for(const BatchPlan& plan) const;

    // Holds all that the seals of these shares say against what is there.
    std::vector<Damage> find_damage(const BatchPlan& plan, const std::vector<Share>& shares) const;

    // The video of a source, where one is wanted, from its pieces in these work folders: all from
    // the first on that are whole, and the one behind them that was broken off. Returns how many
    // are whole.
    uint64_t write_video(const BatchPlan& plan, const PlannedSource& source,
                         const std::vector<WorkFolder>& works) const;
    // Of a run whose parts have only observed: gives the lines of all parts together their tracks.
    void track_lines(const BatchPlan& plan, const std::vector<WorkFolder>& works) const;
    // Of each source, the mean of its maps of attention, from the whole pieces in these folders.
    void write_heats(const BatchPlan& plan, const std::vector<WorkFolder>& works) const;
    // Those that are wanted, from FRAMES.jsonl.
    void write_tables(const BatchPlan& plan) const;

private:
    std::filesystem::path path_;
};

}  // namespace saccade
