#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/batch/plan/plan.h"

namespace saccade {

// Part `index` of `count` of a run.
struct Shard {
    uint32_t index = 0, count = 1;
    std::string text() const;  // "2/8"
};
// "2/8", as --shard takes it, counted from 0; an Error otherwise.
Shard parse_shard(const std::string& text);

constexpr uint32_t most_shards = 1 << 20;

// The pieces of one source that belong to a shard.
struct PieceRange {
    size_t source = 0;
    uint64_t first_piece = 0;
    uint64_t end_piece = UINT64_MAX;  // UINT64_MAX: to the source's end, wherever that is
};
// Cuts the pieces of all sources, in a row, into `shards` parts whose frames differ from an equal
// share by at most one piece; see BatchPlan::tracks_while_drawing(). A source of unknown length
// counts as one piece of full length, one that cannot be opened as a piece without frames.
std::vector<std::vector<PieceRange>> shares_of(const BatchPlan& plan, uint32_t shards);

// The names in the lines of these sources.
LineNames line_names(const BatchPlan& plan, const std::vector<PieceRange>& ranges);

// A task of a scheduler's array, by the variables that the scheduler sets.
struct ArrayTask {
    std::string scheduler;  // "Slurm"
    std::string variable;   // that holds the number
    uint64_t number = 0;
    // The numbers of the array, if the scheduler tells them. An array that was submitted again for
    // single tasks has only those.
    uint64_t first = 0;
    std::optional<uint64_t> last = {}, tasks = {};

    // Whether the array has no gaps, and as many tasks as there are shards.
    bool is_whole(uint64_t shards) const { return tasks == shards && last == first + shards - 1; }
};
// The task that this process is: of Slurm, Kubernetes or AWS Batch. An Error outside of an array.
ArrayTask array_task();

// How the shards of a run are numbered.
struct Numbering {
    uint32_t shards = 0;
    uint64_t first_task = 0;  // the number of the task that processes shard 0
};
// `shards`: how many the command line asks for, 0 if it does not; then the array has to be whole.
Numbering numbering_of(const ArrayTask& task, uint32_t shards);
// The shard of a task. An Error if the array does not fit the numbering.
Shard shard_of(const ArrayTask& task, const Numbering& numbering);

}  // namespace saccade
