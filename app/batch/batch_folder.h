#pragma once

#include <filesystem>
#include <functional>
#include <vector>

#include "app/batch/plan/plan.h"
#include "app/batch/plan/shard.h"
#include "app/batch/work_folder.h"

namespace saccade {

// The first piece of a source whose files are missing or do not match its manifest.
struct Damage {
    size_t source;
    uint64_t piece;
};

// The output folder of a run: FRAMES.jsonl and tables for all sources together, NAME.mp4,
// NAME-heat.png and the folder NAME-frames for each source. A part of a run (one shard) has its own
// folder inside, without tables and with the videos still in pieces.
class BatchFolder {
public:
    explicit BatchFolder(std::filesystem::path path) : path_(std::move(path)) {}
    BatchFolder part(const Shard& shard) const;
    bool has_parts() const;

    const std::filesystem::path& path() const { return path_; }
    std::filesystem::path lines() const { return path_ / "FRAMES.jsonl"; }
    std::filesystem::path video(const PlannedSource& source) const;
    std::filesystem::path pictures(const PlannedSource& source) const;
    std::filesystem::path heat(const PlannedSource& source) const;
    WorkFolder work() const { return WorkFolder(path_ / ".saccade"); }

    // An Error if an output would overwrite a source.
    void spare_sources(const BatchPlan& plan) const;

    // Compares the files of these pieces with the checksums in their manifests.
    std::vector<Damage> find_damage(const BatchPlan& plan,
                                    const std::vector<PieceRange>& ranges) const;

    // Writes the video of a source, if the plan has videos, from its pieces in these work folders:
    // the whole pieces from the first on, and the piece after them that was broken off. Returns the
    // number of whole pieces.
    uint64_t write_video(const BatchPlan& plan, const PlannedSource& source,
                         const std::vector<WorkFolder>& works) const;
    // Writes the mean attention map of a source, if the plan has such maps, from the whole pieces
    // in these work folders.
    void write_heat(const BatchPlan& plan, const PlannedSource& source,
                    const std::vector<WorkFolder>& works) const;
    // Assigns tracks to the joined lines of a run whose parts have only recorded observations.
    // `works`: the work folders that have pieces of a source.
    void track_lines(const BatchPlan& plan,
                     const std::function<std::vector<WorkFolder>(size_t source)>& works) const;
    // Writes the tables that the plan asks for, from FRAMES.jsonl.
    void write_tables(const BatchPlan& plan) const;

private:
    std::filesystem::path path_;
};

}  // namespace saccade
