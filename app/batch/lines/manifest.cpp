#include "app/batch/lines/manifest.h"

#include <fcntl.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <vector>

#include "app/batch/lines/whole_number.h"
#include "app/io/text.h"
#include "gpu/core/files.h"

namespace saccade {

namespace {

using Object = nlohmann::ordered_json;
namespace fs = std::filesystem;

Object json_of(const Checksum& sum) { return {{"bytes", sum.bytes}, {"sha256", sum.sha256}}; }

Checksum checksum_from(const Object& json) {
    return {whole_number(json.at("bytes")), json.at("sha256").get<std::string>()};
}

}  // namespace

std::optional<std::string> content_of(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) return std::nullopt;
    return std::string(std::istreambuf_iterator<char>(file), {});
}

std::optional<Checksum> checksum_of(const fs::path& file) {
    const Descriptor fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (fd.get() < 0) return std::nullopt;
    Digest digest = Digest::sha256();
    std::vector<std::byte> buffer(size_t{1} << 18);
    Checksum sum;
    for (ssize_t count; (count = ::read(fd.get(), buffer.data(), buffer.size())) != 0;) {
        if (count < 0) return std::nullopt;
        digest.update(std::span(buffer).first(static_cast<size_t>(count)));
        sum.bytes += static_cast<uint64_t>(count);
    }
    sum.sha256 = hex(digest.finish());
    return sum;
}

void LineDigest::add(std::string_view line) {
    digest_.update(line);
    digest_.update(std::string_view("\n"));
    bytes_ += line.size() + 1;
}

Checksum LineDigest::finish() { return {bytes_, hex(digest_.finish())}; }

void PieceManifest::write(const fs::path& path) const {
    Object json = Object::object();
    if (pieces) json["pieces"] = pieces;
    if (video) json["video"] = json_of(*video);
    if (lines) json["lines"] = json_of(*lines);
    if (observed) json["observed"] = json_of(*observed);
    if (heat.maps() > 0) json["heat"] = heat.json();
    for (const auto& [name, sum] : pictures) json["pictures"][text_of_name(name)] = json_of(sum);
    NewFile file(path);
    file.write(json.dump(1) + "\n");
    file.finish(Sync::yes);
}

std::optional<PieceManifest> PieceManifest::read(const fs::path& path) try {
    std::ifstream file(path, std::ios::binary);
    if (!file) return std::nullopt;
    const Object json = Object::parse(file);
    PieceManifest manifest;
    if (json.contains("pieces")) manifest.pieces = whole_number(json["pieces"]);
    if (json.contains("video")) manifest.video = checksum_from(json["video"]);
    if (json.contains("lines")) manifest.lines = checksum_from(json["lines"]);
    if (json.contains("observed")) manifest.observed = checksum_from(json["observed"]);
    if (json.contains("heat")) manifest.heat = ClipHeat::from(json["heat"]);
    if (json.contains("pictures"))
        for (const auto& [name, sum] : json["pictures"].items())
            manifest.pictures.emplace(name_of_text(name), checksum_from(sum));
    return manifest;
} catch (const Object::exception&) {
    return std::nullopt;
} catch (const BadNumber&) {
    return std::nullopt;
}

}  // namespace saccade
