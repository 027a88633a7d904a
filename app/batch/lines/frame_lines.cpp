#include "app/batch/lines/frame_lines.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <tuple>
#include <utility>

#include "app/batch/lines/whole_number.h"
#include "gpu/core/error.h"
#include "gpu/core/files.h"

namespace saccade {

namespace {

using Object = nlohmann::ordered_json;
namespace fs = std::filesystem;

// Calls use(text, line, offset of its first byte) for every complete line.
void read_texts(const fs::path& path,
                const std::function<void(const std::string&, const Object&, uint64_t)>& use) {
    std::ifstream file(path, std::ios::binary);
    uint64_t place = 0;
    for (std::string text; std::getline(file, text) && !file.eof();) {
        const Object line = Object::parse(text, nullptr, false);
        if (!line.is_discarded()) use(text, line, place);
        place += text.size() + 1;
    }
}

// Calls use(line, offset of its first byte, offset after its last).
void read_lines(const fs::path& path,
                const std::function<void(const Object&, uint64_t, uint64_t)>& use) {
    read_texts(path, [&](const std::string& text, const Object& line, uint64_t begin) {
        use(line, begin, begin + text.size() + 1);
    });
}

// Source and frame of a line; nothing if it is not a line of this run.
std::optional<std::pair<size_t, uint64_t>> place_of(const Object& line,
                                                    const std::map<std::string, size_t>& sources) {
    if (!line.is_object() || !line.contains("source") || !line["source"].is_string() ||
        !line.contains("frame") || !line["frame"].is_number_unsigned())
        return std::nullopt;
    const auto source = sources.find(line["source"].get_ref<const std::string&>());
    if (source == sources.end()) return std::nullopt;
    return std::pair(source->second, line["frame"].get<uint64_t>());
}

// Consecutive lines of one source in one file.
struct Run {
    size_t file, source;
    uint64_t first_frame, last_frame;
    uint64_t begin, end;  // bytes
};

[[noreturn]] void refuse_line(const fs::path& path) {
    throw Error("'" + path.string() +
                "' has a line that Saccade did not write: remove the line, or start over");
}

// False if they cannot be read.
bool copy_bytes(std::ifstream& from, uint64_t begin, uint64_t end, NewFile& to) {
    from.clear();
    from.seekg(static_cast<std::streamoff>(begin));
    std::vector<char> buffer(size_t{1} << 16);
    while (begin < end) {
        const auto count = std::min<uint64_t>(buffer.size(), end - begin);
        begin += count;
        if (!from.read(buffer.data(), static_cast<std::streamsize>(count))) return false;
        to.write(std::as_bytes(std::span(buffer).first(count)));
    }
    return true;
}

}  // namespace

void for_lines(const fs::path& path, const std::function<void(const Object&)>& use) try {
    read_lines(path, [&](const Object& line, uint64_t, uint64_t) { use(line); });
} catch (const Object::exception&) {
    refuse_line(path);
} catch (const BadNumber&) {
    refuse_line(path);
}

PieceLines checksum_lines(const fs::path& path, const std::map<std::string, size_t>& names,
                          const std::function<uint64_t(uint64_t)>& piece_of) {
    std::map<std::pair<size_t, uint64_t>, LineDigest> open;
    read_texts(path, [&](const std::string& text, const Object& line, uint64_t) {
        if (const auto place = place_of(line, names))
            open[{place->first, piece_of(place->second)}].add(text);
    });
    PieceLines sums;
    for (auto& [piece, sum] : open) sums.emplace(piece, sum.finish());
    return sums;
}

void gather_lines(const std::vector<fs::path>& from, const fs::path& to,
                  const std::map<std::string, size_t>& names,
                  const std::function<bool(size_t, uint64_t)>& wanted) {
    std::vector<Run> runs;
    for (size_t file = 0; file < from.size(); ++file)
        read_lines(from[file], [&](const Object& line, uint64_t begin, uint64_t end) {
            const auto place = place_of(line, names);
            if (!place || !wanted(place->first, place->second)) return;
            const auto [source, frame] = *place;
            if (!runs.empty()) {
                Run& last = runs.back();
                if (last.file == file && last.source == source && last.end == begin &&
                    last.last_frame < frame) {
                    last.last_frame = frame;
                    last.end = end;
                    return;
                }
            }
            runs.push_back({file, source, frame, frame, begin, end});
        });
    std::ranges::sort(runs, {}, [](const Run& run) {
        return std::tuple(run.source, run.first_frame, run.file, run.begin);
    });

    std::error_code error;
    const bool one_file = from.size() == 1 && fs::equivalent(from.front(), to, error);
    uint64_t place = 0;
    const bool in_place = one_file && std::ranges::all_of(runs, [&](const Run& run) {
                              return std::exchange(place, run.end) == run.begin;
                          });
    if (in_place && place == fs::file_size(to, error)) return;

    NewFile file(to);
    std::ifstream in;  // one at a time: there may be more files than a process may open
    std::optional<size_t> open;
    for (const Run& run : runs) {
        if (std::exchange(open, run.file) != run.file)
            in = std::ifstream(from[run.file], std::ios::binary);
        if (!copy_bytes(in, run.begin, run.end, file))
            throw Error("'" + from[run.file].string() +
                        "' cannot be read to its end: check the disk, and run this again");
    }
    file.finish(Sync::yes);
}

}  // namespace saccade
