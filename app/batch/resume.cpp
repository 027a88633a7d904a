#include "app/batch/resume.h"

#include <spdlog/spdlog.h>

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "app/batch/lines/frame_lines.h"
#include "app/batch/work_folder.h"
#include "gpu/core/error.h"
#include "gpu/core/files.h"

namespace saccade {

namespace {

using Object = nlohmann::ordered_json;

// The name of the first setting in which two runs differ; empty if they are the same.
std::string difference(const Object& before, const Object& now) {
    for (const auto& [name, value] : now.items()) {
        if (!before.contains(name)) return name;
        if (value == before[name]) continue;
        const std::string inner =
            value.is_object() && before[name].is_object() ? difference(before[name], value) : "";
        return inner.empty() ? name : inner;
    }
    for (const auto& [name, value] : before.items())
        if (!now.contains(name)) return name;
    return "";
}

void forget_damaged(const BatchPlan& plan, const std::vector<PieceRange>& ranges,
                    const BatchFolder& folder) {
    for (const Damage& damage : folder.find_damage(plan, ranges)) {
        const PlannedSource& source = plan.sources[damage.source];
        spdlog::warn(
            "'{}': some of its results are lost or changed; piece {} and all after it "
            "are processed again",
            source.source.text, damage.piece);
        folder.work().forget(source, damage.piece);
    }
}

// A line of a piece that was broken off is written again together with its piece.
void drop_lines_of_unfinished(const BatchPlan& plan, const std::vector<PieceRange>& ranges,
                              const BatchFolder& folder) {
    const WorkFolder work = folder.work();
    std::map<size_t, uint64_t> next;  // the first piece of each source that is not whole
    for (const PieceRange& range : ranges) {
        const PlannedSource& source = plan.sources[range.source];
        next[range.source] = work.is_done(source) ? UINT64_MAX : work.next_piece(source, range);
    }
    gather_lines(
        {folder.lines()}, folder.lines(), plan.line_names(),
        [&](size_t source, uint64_t frame) { return plan.piece_of(frame) < next[source]; });
}

}  // namespace

bool start_or_resume(const BatchFolder& folder, const BatchPlan& plan, const Shard& shard,
                     bool resume) {
    const WorkFolder work = folder.work();
    const Object run = {{"shard", std::to_string(shard.index) + "/" + std::to_string(shard.count)},
                        {"plan", json_of(plan)}};
    const std::string name = "'" + folder.path().string() + "'";
    const std::string start_over = "remove '" + work.path().string() + "' to start over";
    const std::optional<Object> before = work.run();
    if (before && resume) {
        const std::string what = difference(*before, run);
        if (!what.empty())
            throw Error(name + " cannot be resumed: it was started with another '" + what +
                        "'; use the same command line, or " + start_over);
        const std::vector<PieceRange> ranges = ranges_of(plan, shard);
        work.clean_up(plan);
        FileBeside::remove_leftovers(folder.path());
        forget_damaged(plan, ranges, folder);
        drop_lines_of_unfinished(plan, ranges, folder);
        return true;
    }
    if (before) {
        const BatchPlan old = plan_from(before->at("plan"));
        if (!work.all_ended(old, ranges_of(old, parse_shard(before->at("shard")))))
            throw Error(name + " holds an unfinished run: continue it with --resume, or " +
                        start_over);
    }
    work.begin(run);
    return false;
}

uint64_t frames_left(const BatchPlan& plan, const WorkFolder& work, const PieceRange& range) {
    const PlannedSource& source = plan.sources[range.source];
    if (!source.frames || !source.error.empty() || work.is_done(source)) return 0;
    const uint64_t done = work.next_piece(source, range) * plan.piece;
    const uint64_t end =
        range.end_piece == UINT64_MAX ? *source.frames : range.end_piece * plan.piece;
    return end > done ? end - done : 0;
}

}  // namespace saccade
