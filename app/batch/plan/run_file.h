#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "app/batch/plan/plan.h"
#include "app/batch/plan/shard.h"

namespace saccade {

nlohmann::ordered_json json_of(const BatchPlan& plan);
BatchPlan plan_from(const nlohmann::ordered_json& json);

// How an earlier plan differs from one that is not examined yet: "with another 'threshold'",
// "without 'new.mp4'". Empty if it does not.
std::string difference(const BatchPlan& before, const BatchPlan& now);

// The file run.json in an output folder's .saccade: what the run does and how it is split, for all
// of its shards. Each of them opens only its own sources, and remembers the checksum of this file.
struct RunFile {
    BatchPlan plan;
    Numbering numbering = {};  // 0 shards: the run is not split
    std::string checksum = {};

    std::string text() const;
    // Nothing if the file is not there; an Error if it is damaged.
    static std::optional<RunFile> read(const std::filesystem::path& path);
    // Writes the file unless there is one: of tasks that plan the same run at the same time, the
    // first decides for all. Returns what the file holds afterwards.
    RunFile publish(const std::filesystem::path& path) const;
};

// The run.json of a shard: its number, and the checksum of the run.json of the whole.
std::string shard_json(const Shard& shard, const std::string& checksum);

}  // namespace saccade
