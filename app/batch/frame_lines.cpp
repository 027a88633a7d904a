#include "app/batch/frame_lines.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <tuple>

#include "gpu/core/error.h"
#include "gpu/core/files.h"

namespace saccade {

namespace {

using Object = nlohmann::ordered_json;
namespace fs = std::filesystem;

// Calls use(line, first byte, byte behind) for every whole line.
void read_lines(const fs::path& path,
                const std::function<void(const Object&, uint64_t, uint64_t)>& use) {
    std::ifstream file(path, std::ios::binary);
    uint64_t place = 0;
    for (std::string text; std::getline(file, text) && !file.eof();) {
        const uint64_t begin = place;
        place += text.size() + 1;
        const Object line = Object::parse(text, nullptr, false);
        if (!line.is_discarded()) use(line, begin, place);
    }
}

// Lines that follow each other in a file and in their source.
struct Run {
    size_t file, source;
    uint64_t first_frame, last_frame;
    uint64_t begin, end;  // bytes
};

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

void for_lines(const fs::path& path, const std::function<void(const Object&)>& use) {
    read_lines(path, [&](const Object& line, uint64_t, uint64_t) { use(line); });
}

void gather_lines(const std::vector<fs::path>& from, const fs::path& to,
                  const std::map<std::string, size_t>& names,
                  const std::function<bool(size_t, uint64_t)>& wanted) {
    std::vector<Run> runs;
    for (size_t file = 0; file < from.size(); ++file)
        read_lines(from[file], [&](const Object& line, uint64_t begin, uint64_t end) {
            const auto source = names.find(line.value("source", ""));
            const auto frame = line.value("frame", UINT64_MAX);
            if (source == names.end() || !wanted(source->second, frame)) return;
            if (!runs.empty()) {
                Run& last = runs.back();
                if (last.file == file && last.source == source->second && last.end == begin &&
                    last.last_frame < frame) {
                    last.last_frame = frame;
                    last.end = end;
                    return;
                }
            }
            runs.push_back({file, source->second, frame, frame, begin, end});
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
    std::vector<std::ifstream> in;
    for (const fs::path& path : from) in.emplace_back(path, std::ios::binary);
    for (const Run& run : runs)
        if (!copy_bytes(in[run.file], run.begin, run.end, file))
            throw Error("'" + from[run.file].string() + "' cannot be read to its end");
    file.finish(Sync::yes);
}

}  // namespace saccade
