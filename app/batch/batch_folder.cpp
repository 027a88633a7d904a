#include "app/batch/batch_folder.h"

#include <spdlog/spdlog.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <set>
#include <utility>

#include "app/batch/lines/frame_lines.h"
#include "app/batch/lines/region_tables.h"
#include "app/batch/lines/tables.h"
#include "app/batch/lines/track_lines.h"
#include "app/io/interrupts.h"
#include "app/io/picture_file.h"
#include "app/io/text.h"
#include "app/video/join.h"
#include "gpu/core/error.h"
#include "gpu/core/files.h"

namespace saccade {

namespace {

namespace fs = std::filesystem;

bool is_missing_or_empty(const fs::path& file) {
    std::error_code error;
    return fs::file_size(file, error) == 0 || error;
}

using FileId = std::pair<dev_t, ino_t>;

std::optional<FileId> id_of(const fs::path& file) {
    struct stat status {};
    if (::stat(file.c_str(), &status) != 0) return std::nullopt;
    return FileId(status.st_dev, status.st_ino);
}

}  // namespace

BatchFolder BatchFolder::part(const Shard& shard) const {
    return BatchFolder(
        path_ / ("shard-" + std::to_string(shard.index) + "-of-" + std::to_string(shard.count)));
}

bool BatchFolder::has_parts() const {
    std::error_code error;
    const fs::directory_iterator entries(path_, error);
    return std::any_of(begin(entries), end(entries), [](const fs::directory_entry& entry) {
        unsigned index = 0, count = 0;
        char rest = 0;
        const std::string name = entry.path().filename().string();
        return std::sscanf(name.c_str(), "shard-%u-of-%u%c", &index, &count, &rest) == 2;
    });
}

fs::path BatchFolder::video(const PlannedSource& source) const {
    return path_ / (source.name + ".mp4");
}

fs::path BatchFolder::pictures(const PlannedSource& source) const {
    return path_ / (source.name + "-frames");
}

fs::path BatchFolder::heat(const PlannedSource& source) const {
    return path_ / (source.name + "-heat.png");
}

// Usually no output is there yet, and then the sources are not looked at.
void BatchFolder::spare_sources(const BatchPlan& plan) const {
    std::set<FileId> outputs;
    if (plan.video)
        for (const PlannedSource& source : plan.sources)
            if (const std::optional<FileId> id = id_of(video(source))) outputs.insert(*id);
    if (outputs.empty()) return;
    for (const PlannedSource& source : plan.sources) {
        const std::optional<FileId> id = id_of(source.source.name.unmasked());
        if (id && outputs.contains(*id))
            throw Error("'" + source.source.name.text() +
                        "' would be overwritten; name another folder with -o");
    }
}

std::vector<Damage> BatchFolder::find_damage(const BatchPlan& plan,
                                             const std::vector<PieceRange>& ranges) const {
    const WorkFolder work = this->work();
    const PieceLines lines = checksum_lines(this->lines(), line_names(plan, ranges),
                                            [&](uint64_t frame) { return plan.piece_of(frame); });
    std::vector<Damage> damages;
    for (const PieceRange& range : ranges) {
        if (Interrupts::came()) throw TemporaryError("interrupted; run it again with --resume");
        const PlannedSource& source = plan.sources[range.source];
        // A source that is done has one joined video; those of its pieces are deleted.
        const bool done = work.is_done(source);
        const std::optional<PieceManifest> all = PieceManifest::read(work.done(source));
        const bool joined = all && all->video;
        if (joined && checksum_of(video(source)) != all->video) {
            damages.push_back({range.source, range.first_piece});
            continue;
        }
        auto is_sound = [&](const PieceManifest& manifest, uint64_t piece) {
            if (manifest.video && !joined &&
                checksum_of(work.video(source, piece)) != manifest.video)
                return false;
            if (manifest.observed && checksum_of(work.observed(source, piece)) != manifest.observed)
                return false;
            for (const auto& [name, sum] : manifest.pictures)
                if (checksum_of(pictures(source) / name) != sum) return false;
            const auto found = lines.find({range.source, piece});
            return manifest.lines == (found == lines.end() ? LineDigest().finish() : found->second);
        };
        uint64_t piece = range.first_piece;
        for (; fs::exists(work.manifest(source, piece)); ++piece) {
            const std::optional<PieceManifest> manifest =
                PieceManifest::read(work.manifest(source, piece));
            if (manifest && is_sound(*manifest, piece)) continue;
            damages.push_back({range.source, joined ? range.first_piece : piece});
            break;
        }
        const bool short_of = done && (!all || piece < range.first_piece + all->pieces);
        if (short_of && (damages.empty() || damages.back().source != range.source))
            damages.push_back({range.source, joined ? range.first_piece : piece});
    }
    return damages;
}

uint64_t BatchFolder::write_video(const BatchPlan& plan, const PlannedSource& source,
                                  const std::vector<WorkFolder>& works) const {
    const VideoClock clock(source.rate);
    JoinedVideo joined{.pieces = {},
                       .clock = clock,
                       .last_ticks = clock.frame() * static_cast<int64_t>(plan.range.stride)};
    uint64_t piece = 0;
    auto add = [&](const fs::path& file) {
        if (!is_missing_or_empty(file)) joined.pieces.push_back(file);
    };
    auto has_piece = [&](const WorkFolder& work) {
        return fs::exists(work.manifest(source, piece));
    };
    for (auto work = works.begin(); (work = std::ranges::find_if(works, has_piece)) != works.end();
         ++piece)
        add(work->video(source, piece));
    for (const WorkFolder& work : works) add(work.partial(source, piece));
    if (!plan.video || joined.pieces.empty()) return piece;
    if (source.has_sound) joined.sound = source.source.name.unmasked();
    joined.rotated = source.rotated;
    const std::string complaint = join_video(joined, video(source), works.front().path());
    if (!complaint.empty()) spdlog::warn("{}", complaint);
    return piece;
}

namespace {

// Reads the observations of all frames, piece by piece.
class ObservedFrames {
public:
    ObservedFrames(const BatchPlan& plan,
                   const std::function<std::vector<WorkFolder>(size_t)>& works)
        : plan_(plan), works_(works) {}

    Observations at(size_t source, uint64_t frame) {
        const std::pair piece(source, plan_.piece_of(frame));
        if (piece_ != piece) {
            bytes_ = bytes_of(source, piece.second);
            rest_ = bytes_;
            piece_ = piece;
        }
        while (!rest_.empty())
            if (Observations observed = take_first(rest_); observed.frame == frame) return observed;
        throw Error("the tracker's observations of frame " + std::to_string(frame) + " of '" +
                    plan_.sources[source].source.name.text() + "' are missing: run its part again");
    }

private:
    std::string bytes_of(size_t number, uint64_t piece) const {
        const PlannedSource& source = plan_.sources[number];
        for (const WorkFolder& work : works_(number))
            for (const fs::path& path :
                 {work.observed(source, piece), work.partly_observed(source, piece)})
                if (std::optional<std::string> bytes = content_of(path)) return *std::move(bytes);
        return {};
    }

    const BatchPlan& plan_;
    const std::function<std::vector<WorkFolder>(size_t)>& works_;
    std::optional<std::pair<size_t, uint64_t>> piece_;
    std::string bytes_;
    std::string_view rest_;
};

}  // namespace

void BatchFolder::track_lines(
    const BatchPlan& plan,
    const std::function<std::vector<WorkFolder>(size_t source)>& works) const {
    if (!plan.track || plan.tracks_while_drawing()) return;
    ObservedFrames observed(plan, works);
    saccade::track_lines(lines(), line_names(plan),
                         tracking_for(plan.settings.at("threshold").get<float>()), plan.regions(),
                         [&](size_t source, uint64_t frame) { return observed.at(source, frame); });
}

void BatchFolder::write_heat(const BatchPlan& plan, const PlannedSource& source,
                             const std::vector<WorkFolder>& works) const {
    if (!plan.heat) return;
    ClipHeat all;
    uint64_t piece = 0;
    auto has_piece = [&](const WorkFolder& work) {
        return fs::exists(work.manifest(source, piece));
    };
    for (auto work = works.begin(); (work = std::ranges::find_if(works, has_piece)) != works.end();
         ++piece)
        if (const std::optional<PieceManifest> manifest =
                PieceManifest::read(work->manifest(source, piece)))
            all.add(manifest->heat);
    if (all.maps() > 0) write_picture(heat(source), all.picture());
}

void BatchFolder::write_tables(const BatchPlan& plan) const {
    if (plan.coco) write_coco(lines(), path_ / "coco.json");
    if (plan.csv) write_csv(lines(), path_ / "frames.csv", plan.track);
    if (plan.mot)
        write_mot(lines(), line_names(plan),
                  [&](size_t source) { return path_ / (plan.sources[source].name + ".mot.txt"); });
    if (const std::optional<Regions> regions = plan.regions())
        write_region_tables(
            lines(), line_names(plan), *regions,
            [&](size_t source) { return text_of_name(plan.sources[source].source.name.text()); },
            {path_ / "events.jsonl", path_ / "counts.csv"});
}

}  // namespace saccade
