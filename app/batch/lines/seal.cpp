#include "app/batch/lines/seal.h"

#include <fcntl.h>
#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

#include "app/batch/lines/whole_number.h"
#include "app/io/text.h"
#include "gpu/core/files.h"

namespace saccade {

namespace {

using Object = nlohmann::ordered_json;
namespace fs = std::filesystem;

Object json_of(const Sum& sum) { return {{"bytes", sum.bytes}, {"sha256", sum.sha256}}; }

Sum sum_from(const Object& json) {
    return {whole_number(json.at("bytes")), json.at("sha256").get<std::string>()};
}

}  // namespace

std::optional<Sum> sum_of(const fs::path& file) {
    const Descriptor fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (fd.get() < 0) return std::nullopt;
    Digest digest = Digest::sha256();
    std::vector<std::byte> buffer(size_t{1} << 18);
    Sum sum;
    for (ssize_t count; (count = ::read(fd.get(), buffer.data(), buffer.size())) != 0;) {
        if (count < 0) return std::nullopt;
        digest.update(std::span(buffer).first(static_cast<size_t>(count)));
        sum.bytes += static_cast<uint64_t>(count);
    }
    sum.sha256 = hex(digest.finish());
    return sum;
}

void LineSum::add(std::string_view line) {
    digest_.update(line);
    digest_.update(std::string_view("\n"));
    bytes_ += line.size() + 1;
}

Sum LineSum::finish() { return {bytes_, hex(digest_.finish())}; }

void Seal::write(const fs::path& path) const {
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

std::optional<Seal> Seal::read(const fs::path& path) try {
    std::ifstream file(path, std::ios::binary);
    if (!file) return std::nullopt;
    const Object json = Object::parse(file);
    Seal seal;
    if (json.contains("pieces")) seal.pieces = whole_number(json["pieces"]);
    if (json.contains("video")) seal.video = sum_from(json["video"]);
    if (json.contains("lines")) seal.lines = sum_from(json["lines"]);
    if (json.contains("observed")) seal.observed = sum_from(json["observed"]);
    if (json.contains("heat")) seal.heat = ClipHeat::from(json["heat"]);
    if (json.contains("pictures"))
        for (const auto& [name, sum] : json["pictures"].items())
            seal.pictures.emplace(name_of_text(name), sum_from(sum));
    return seal;
} catch (const Object::exception&) {
    return std::nullopt;
} catch (const OddNumber&) {
    return std::nullopt;
}

}  // namespace saccade
