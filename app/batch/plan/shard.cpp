#include "app/batch/plan/shard.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>

#include "gpu/core/error.h"

namespace saccade {

namespace {

// Frames are counted in doubles, which are exact up to 2^53 and do not overflow beyond.
double frames_of(const PlannedSource& source, uint64_t piece) {
    return source.error.empty() ? double(source.frames.value_or(piece)) : 0;
}

// The variable's number; nothing if it is not set.
std::optional<uint64_t> number_in(const char* variable) {
    const char* const value = std::getenv(variable);
    if (!value) return std::nullopt;
    const std::string_view text(value);
    uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (text.empty() || error != std::errc() || end != text.data() + text.size())
        throw Error(std::string(variable) + " is '" + value +
                    "', which is no number: name the part with --shard I/N");
    return number;
}

}  // namespace

std::string Shard::text() const { return std::to_string(index) + "/" + std::to_string(count); }

Shard parse_shard(const std::string& text) {
    Shard shard;
    const char* const end = text.data() + text.size();
    const auto [slash, bad_index] = std::from_chars(text.data(), end, shard.index);
    if (bad_index == std::errc() && slash != end && *slash == '/') {
        const auto [rest, bad_count] = std::from_chars(slash + 1, end, shard.count);
        if (bad_count == std::errc() && rest == end && shard.index < shard.count &&
            shard.count <= most_shards)
            return shard;
    }
    throw Error("a shard is I/N, from 0/N to N-1/N, not '" + text + "'");
}

std::vector<std::vector<PieceRange>> shares_of(const BatchPlan& plan, uint32_t shards) {
    double all = 0;
    for (const PlannedSource& source : plan.sources) all += frames_of(source, plan.piece);

    std::vector<std::vector<PieceRange>> shares(shards);
    size_t source = 0;
    uint64_t piece = 0;  // the first of the source that no shard has
    double begin = 0;    // the frames of the sources before
    for (uint32_t shard = 0; shard < shards; ++shard) {
        const double cut = all * (shard + 1.0) / shards;
        while (source < plan.sources.size()) {
            const double frames = frames_of(plan.sources[source], plan.piece);
            const bool in_one = plan.tracks_while_drawing();
            const uint64_t pieces = in_one ? 1 : plan.pieces_of(plan.sources[source]);
            // A piece belongs to the shard in whose share its middle lies.
            auto is_before_cut = [&](uint64_t number) {
                const double from = in_one ? 0 : double(number) * double(plan.piece);
                const double to = in_one ? frames : std::min(frames, from + double(plan.piece));
                return shard + 1 == shards || begin + (from + to) / 2 < cut;
            };
            uint64_t end = piece, after = pieces;  // a binary search: later pieces lie further on
            while (end < after) {
                const uint64_t middle = end + (after - end) / 2;
                is_before_cut(middle) ? end = middle + 1 : after = middle;
            }
            if (piece < end)
                shares[shard].push_back({source, piece, end == pieces ? UINT64_MAX : end});
            piece = end;
            if (piece < pieces) break;
            begin += frames;
            piece = 0;
            ++source;
        }
    }
    return shares;
}

LineNames line_names(const BatchPlan& plan, const std::vector<PieceRange>& ranges) {
    LineNames names;
    for (const PieceRange& range : ranges) add_line_names(names, plan, range.source);
    return names;
}

ArrayTask array_task() {
    if (const auto number = number_in("SLURM_ARRAY_TASK_ID"))
        return {"Slurm",
                "SLURM_ARRAY_TASK_ID",
                *number,
                number_in("SLURM_ARRAY_TASK_MIN").value_or(0),
                number_in("SLURM_ARRAY_TASK_MAX"),
                number_in("SLURM_ARRAY_TASK_COUNT")};
    if (const auto number = number_in("JOB_COMPLETION_INDEX"))
        return {.scheduler = "Kubernetes", .variable = "JOB_COMPLETION_INDEX", .number = *number};
    if (const auto number = number_in("AWS_BATCH_JOB_ARRAY_INDEX")) {
        ArrayTask task{"AWS Batch", "AWS_BATCH_JOB_ARRAY_INDEX", *number, 0, {}, {}};
        task.tasks = number_in("AWS_BATCH_JOB_ARRAY_SIZE");
        if (task.tasks && *task.tasks > 0) task.last = *task.tasks - 1;
        return task;
    }
    throw Error(
        "--shard auto is for a task of an array of Slurm (SLURM_ARRAY_TASK_ID), Kubernetes "
        "(JOB_COMPLETION_INDEX) or AWS Batch (AWS_BATCH_JOB_ARRAY_INDEX), and none of these is "
        "set: name the part with --shard I/N");
}

Numbering numbering_of(const ArrayTask& task, uint32_t shards) {
    if (shards > 0) return {shards, task.is_whole(shards) ? task.first : 0};
    if (!task.tasks)
        throw Error(task.scheduler +
                    " does not tell how many tasks the array has: say it with --shards N");
    if (!task.is_whole(*task.tasks) || task.first > 1 || *task.tasks > most_shards)
        throw Error(task.scheduler +
                    "'s array does not go from 0 or 1 on without gaps, as that of "
                    "a whole run does: say with --shards N into how many parts the run is split");
    return {static_cast<uint32_t>(*task.tasks), task.first};
}

Shard shard_of(const ArrayTask& task, const Numbering& numbering) {
    const uint64_t largest = std::max(task.number, task.last.value_or(0));
    const uint64_t first = numbering.first_task, last = first + numbering.shards - 1;
    if (std::min(task.number, task.last ? task.first : task.number) < first || largest > last)
        throw Error(task.variable + " is " + std::to_string(task.number) + " of an array up to " +
                    std::to_string(largest) + ", but the run has " +
                    std::to_string(numbering.shards) + " shards, tasks " + std::to_string(first) +
                    " to " + std::to_string(last) + ": submit those");
    return {static_cast<uint32_t>(task.number - first), numbering.shards};
}

}  // namespace saccade
