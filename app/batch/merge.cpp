#include "app/batch/merge.h"

#include <spdlog/spdlog.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/batch/batch_folder.h"
#include "app/batch/lines/frame_lines.h"
#include "app/batch/plan.h"
#include "app/io/folder_lock.h"
#include "gpu/core/error.h"
#include "gpu/core/files.h"

namespace saccade {

namespace {

using Object = nlohmann::ordered_json;
namespace fs = std::filesystem;

// The plan that all parts have in common. An Error if a part is missing, unfinished, damaged, or of
// another run.
BatchPlan plan_of_parts(const BatchFolder& folder, uint32_t parts) {
    std::optional<Object> first;
    for (uint32_t i = 0; i < parts; ++i) {
        const Shard shard{i, parts};
        const std::string name = std::to_string(i) + "/" + std::to_string(parts);
        const WorkFolder work = folder.part(shard).work();
        const std::optional<Object> run = work.run();
        if (!run)
            throw Error("part " + name + " is missing in '" + folder.path().string() +
                        "': run it with --shard " + name);
        const Object& plan = run->at("plan");
        if (!first) first = plan;
        if (plan != *first)
            throw Error("part " + name + " in '" + folder.path().string() +
                        "' belongs to a different run than part 0/" + std::to_string(parts) +
                        ": remove the one that does not belong there, and run it again");
        const BatchPlan read = plan_from(plan);
        const std::vector<PieceRange> ranges = ranges_of(read, shard);
        if (!folder.part(shard).find_damage(read, ranges).empty())
            throw Error("part " + name + " in '" + folder.path().string() +
                        "' has lost some of what was done: run it again with --shard " + name +
                        " --resume");
        if (!work.all_ended(read, ranges))
            throw Error("part " + name + " in '" + folder.path().string() +
                        "' is not finished: run it again with --shard " + name + " --resume");
    }
    return plan_from(*first);
}

void gather_pictures(const BatchFolder& from, const BatchFolder& to, const PlannedSource& source) {
    if (!fs::is_directory(from.pictures(source))) return;
    std::error_code error;
    fs::create_directories(to.pictures(source), error);
    for (const auto& entry : fs::directory_iterator(from.pictures(source), error)) {
        const fs::path target = to.pictures(source) / entry.path().filename();
        std::error_code ignored;
        fs::remove(target, ignored);
        fs::create_hard_link(entry.path(), target, error);  // not every file system has them
        if (error) fs::copy_file(entry.path(), target, error);
        if (error) throw Error("'" + target.string() + "' cannot be written: " + error.message());
    }
}

}  // namespace

MergeOutcome merge_parts(const fs::path& path) {
    const BatchFolder folder(path);
    const uint32_t parts = folder.parts();
    if (parts == 0)
        throw Error(
            "'" + path.string() +
            "' holds no parts of a run; name the folder that 'saccade batch --shard' wrote to");
    make_folder(folder.work().path());
    const FolderLock lock(folder.work().path());
    const BatchPlan plan = plan_of_parts(folder, parts);
    std::vector<BatchFolder> from;
    std::vector<WorkFolder> works;
    std::vector<fs::path> lines;
    for (uint32_t i = 0; i < parts; ++i) {
        from.push_back(folder.part({i, parts}));
        works.push_back(from.back().work());
        lines.push_back(from.back().lines());
    }

    MergeOutcome outcome{.parts = parts};
    std::vector<uint64_t> pieces(plan.sources.size(), 0);  // of each source, that are whole
    for (size_t i = 0; i < plan.sources.size(); ++i) try {
            const PlannedSource& source = plan.sources[i];
            pieces[i] = folder.write_video(plan, source, works);
            if (plan.frames)
                for (const BatchFolder& part : from) gather_pictures(part, folder, source);
            for (const WorkFolder& work : works)
                if (const std::optional<std::string> why = work.failure(source)) throw Error(*why);
            if (pieces[i] == 0) throw Error("'" + source.source.text + "' has no frames");
        } catch (const Error& error) {
            spdlog::error("{}", error.what());
            outcome.failed = true;
        }
    // The piece after the last whole one may have been broken off; its lines count, later ones do
    // not.
    gather_lines(lines, folder.lines(), plan.line_names(), [&](size_t source, uint64_t frame) {
        return plan.piece_of(frame) <= pieces[source];
    });
    folder.track_lines(plan, works);
    folder.write_heats(plan, works);
    folder.write_tables(plan);
    return outcome;
}

}  // namespace saccade
