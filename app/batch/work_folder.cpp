#include "app/batch/work_folder.h"

#include <algorithm>
#include <cstdio>

#include "app/batch/lines/manifest.h"
#include "app/io/folder_lock.h"
#include "gpu/core/files.h"

namespace saccade {

namespace {

namespace fs = std::filesystem;

std::string piece_name(uint64_t piece) {
    char text[32];
    std::snprintf(text, sizeof text, "%06llu", static_cast<unsigned long long>(piece));
    return text;
}

void remove_files(const fs::path& folder, bool (*these)(const fs::path&)) {
    std::error_code ignored;
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder, ignored))
        if (these(entry.path())) files.push_back(entry.path());
    for (const fs::path& file : files) fs::remove(file, ignored);
}

void write_file(const fs::path& path, const std::string& text) {
    NewFile file(path);
    file.write(text);
    file.finish(Sync::yes);
}

}  // namespace

void WorkFolder::begin(const std::string& run) const {
    std::error_code error;
    fs::remove(run_file(), error);  // first: without it, the rest is no run
    make_folder(path_);
    std::vector<fs::path> old;
    for (const auto& entry : fs::directory_iterator(path_, error))
        if (entry.path().filename() != FolderLock::name) old.push_back(entry.path());
    for (const fs::path& path : old) fs::remove_all(path, error);
    write_file(run_file(), run);
}

bool WorkFolder::all_ended(const BatchPlan& plan, const std::vector<PieceRange>& ranges) const {
    return std::ranges::all_of(ranges, [&](const PieceRange& range) {
        const PlannedSource& source = plan.sources[range.source];
        return is_done(source) || failure(source);
    });
}

void WorkFolder::clean_up(const BatchPlan& plan, const std::vector<PieceRange>& ranges) const {
    FileBeside::remove_leftovers(path_);
    for (const PieceRange& range : ranges) {
        const fs::path folder = this->folder(plan.sources[range.source]);
        FileBeside::remove_leftovers(folder);
        std::error_code ignored;
        fs::remove(folder / "failed", ignored);
        remove_files(folder,
                     [](const fs::path& file) { return file.stem().extension() == ".partial"; });
    }
}

void WorkFolder::forget(const PlannedSource& source, uint64_t piece) const {
    std::error_code ignored;
    fs::remove(done(source), ignored);
    for (; fs::remove(manifest(source, piece), ignored); ++piece)
        for (const fs::path& file : {video(source, piece), observed(source, piece)})
            fs::remove(file, ignored);
}

void WorkFolder::remove_videos(const PlannedSource& source) const {
    remove_files(folder(source), [](const fs::path& file) { return file.extension() == ".nut"; });
}

uint64_t WorkFolder::next_piece(const PlannedSource& source, const PieceRange& range) const {
    uint64_t piece = range.first_piece;
    while (piece < range.end_piece && fs::exists(manifest(source, piece))) ++piece;
    return piece;
}

fs::path WorkFolder::folder(const PlannedSource& source) const {
    return path_ / "sources" / source.name;
}

fs::path WorkFolder::manifest(const PlannedSource& source, uint64_t piece) const {
    return folder(source) / (piece_name(piece) + ".whole");
}

fs::path WorkFolder::done(const PlannedSource& source) const { return folder(source) / "done"; }

fs::path WorkFolder::video(const PlannedSource& source, uint64_t piece) const {
    return folder(source) / (piece_name(piece) + ".nut");
}

fs::path WorkFolder::partial(const PlannedSource& source, uint64_t piece) const {
    return folder(source) / (piece_name(piece) + ".partial.nut");
}

fs::path WorkFolder::observed(const PlannedSource& source, uint64_t piece) const {
    return folder(source) / (piece_name(piece) + ".seen");
}

fs::path WorkFolder::partly_observed(const PlannedSource& source, uint64_t piece) const {
    return folder(source) / (piece_name(piece) + ".partial.seen");
}

bool WorkFolder::is_done(const PlannedSource& source) const { return fs::exists(done(source)); }

std::optional<std::string> WorkFolder::failure(const PlannedSource& source) const {
    return content_of(folder(source) / "failed");
}

void WorkFolder::set_done(const PlannedSource& source, uint64_t pieces,
                          const fs::path& video) const {
    PieceManifest manifest{.video = checksum_of(video)};
    manifest.pieces = pieces;
    manifest.write(done(source));
}

void WorkFolder::set_failed(const PlannedSource& source, const std::string& why) const {
    std::error_code ignored;  // writing the file reports it
    fs::create_directories(folder(source), ignored);
    write_file(folder(source) / "failed", why);
}

}  // namespace saccade
