#include "app/batch/batch_folder.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdio>

#include "app/batch/tables.h"
#include "app/video/join.h"
#include "gpu/core/error.h"
#include "gpu/core/files.h"

namespace saccade {

namespace {

namespace fs = std::filesystem;

bool has_nothing(const fs::path& file) {
    std::error_code error;
    return fs::file_size(file, error) == 0 || error;
}

}  // namespace

BatchFolder BatchFolder::part(const Shard& shard) const {
    return BatchFolder(
        path_ / ("shard-" + std::to_string(shard.index) + "-of-" + std::to_string(shard.count)));
}

uint32_t BatchFolder::parts() const {
    uint32_t parts = 0;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(path_, error)) {
        unsigned index = 0, count = 0;
        char rest = 0;
        const std::string name = entry.path().filename().string();
        if (std::sscanf(name.c_str(), "shard-%u-of-%u%c", &index, &count, &rest) != 2) continue;
        if (parts != 0 && parts != count)
            throw Error("'" + path_.string() + "' holds parts of two runs, of " +
                        std::to_string(std::min(parts, count)) + " and of " +
                        std::to_string(std::max(parts, count)) +
                        " parts: remove those that do not belong there");
        parts = count;
    }
    return parts;
}

fs::path BatchFolder::video(const PlannedSource& source) const {
    return path_ / (source.name + ".mp4");
}

fs::path BatchFolder::pictures(const PlannedSource& source) const {
    return path_ / (source.name + "-frames");
}

void BatchFolder::make_for(const BatchPlan& plan) const {
    make_folder(path_);
    std::error_code error;
    for (const PlannedSource& written : plan.sources)
        for (const PlannedSource& source : plan.sources)
            if (plan.video && fs::equivalent(video(written), source.source.text, error))
                throw Error("'" + source.source.text +
                            "' would be written over; name another folder with -o");
}

uint64_t BatchFolder::write_video(const BatchPlan& plan, const PlannedSource& source,
                                  const std::vector<WorkFolder>& works) const {
    const VideoClock clock(source.rate);
    JoinedVideo joined{.pieces = {},
                       .clock = clock,
                       .last_ticks = clock.frame() * static_cast<int64_t>(plan.range.stride)};
    uint64_t piece = 0;
    auto add = [&](fs::path (WorkFolder::*named)(const PlannedSource&, uint64_t) const) {
        for (const WorkFolder& work : works) {
            const fs::path file = (work.*named)(source, piece);
            if (!fs::exists(file)) continue;
            if (!has_nothing(file)) joined.pieces.push_back(file);
            return true;
        }
        return false;
    };
    while (add(&WorkFolder::whole)) ++piece;
    add(&WorkFolder::partial);
    if (!plan.video || joined.pieces.empty()) return piece;
    if (source.has_sound) joined.sound = source.source.text;
    joined.turned = source.turned;
    const std::string complaint = join_video(joined, video(source), works.front().path());
    if (!complaint.empty()) spdlog::warn("{}", complaint);
    return piece;
}

void BatchFolder::write_tables(const BatchPlan& plan) const {
    if (plan.coco) write_coco(lines(), path_ / "coco.json");
    if (plan.csv) write_csv(lines(), path_ / "frames.csv");
}

}  // namespace saccade
