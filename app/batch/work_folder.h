#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/batch/plan.h"

namespace saccade {

// What a run has done so far, on disk, so that a run that is killed at any moment can go on:
//   run.json                what is to be done
//   NAME/000000.nut         a piece of a source that is whole: the file appears when all that
//                           belongs to it has been written, its lines of FRAMES.jsonl first; it is
//                           empty where no video is wanted
//   NAME/000001.partial.nut one that was broken off, and is done again
//   NAME/done, NAME/failed  the source has ended; why
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
    // The first piece of a share that is not whole.
    uint64_t next_piece(const PlannedSource& source, const Share& share) const;

    std::filesystem::path folder(const PlannedSource& source) const;
    std::filesystem::path whole(const PlannedSource& source, uint64_t piece) const;
    std::filesystem::path partial(const PlannedSource& source, uint64_t piece) const;

    bool is_done(const PlannedSource& source) const;
    std::optional<std::string> failure(const PlannedSource& source) const;
    void set_done(const PlannedSource& source) const;
    // Those of a source that is done and needs them no more.
    void remove_pieces(const PlannedSource& source) const;
    void set_failed(const PlannedSource& source, const std::string& why) const;

private:
    std::filesystem::path path_;
};

}  // namespace saccade
