#include "app/track/region_store.h"

#include <cctype>
#include <nlohmann/json.hpp>

#include "app/io/digest.h"
#include "gpu/core/error.h"
#include "gpu/core/files.h"

namespace saccade {

namespace {

namespace fs = std::filesystem;

// The readable end of a source's path or URL, without user name and password.
std::string readable_part(const std::string& source) {
    const size_t begin = source.find_last_of("/\\@");
    std::string part = begin == std::string::npos ? source : source.substr(begin + 1);
    for (char& c : part)
        if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-' && c != '.') c = '_';
    return part.substr(0, 60);
}

std::string whole_name(const std::string& source) {
    std::error_code none;
    return fs::exists(source, none) ? fs::weakly_canonical(source, none).string() : source;
}

}  // namespace

fs::path RegionStore::file_of(const std::string& source) const {
    const std::string whole = whole_name(source);
    Digest digest = Digest::sha256();
    digest.update(whole);
    return folder_ / (readable_part(whole) + "-" + hex(digest.finish()).substr(0, 16) + ".json");
}

Regions RegionStore::read(const std::string& source) const {
    std::error_code none;
    if (folder_.empty() || source.empty() || !fs::exists(file_of(source), none)) return {};
    return read_regions(file_of(source));
}

void RegionStore::write(const std::string& source, const Regions& regions) const {
    if (folder_.empty() || source.empty()) return;
    if (regions.all.empty()) {
        std::error_code none;
        fs::remove(file_of(source), none);
        return;
    }
    make_folder(folder_);
    NewFile file(file_of(source));
    file.write(
        json_of(regions).dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) +
        "\n");
    file.finish();
}

std::string KeptRegions::follow(const std::string& source, Regions& regions) try {
    const bool first = !source_, other = source_ != source;
    if (!other && regions == kept_) return "";
    source_ = source;
    if (!other) {
        kept_ = regions;
        store_.write(source, regions);
    } else if (!first || regions.all.empty()) {
        regions = kept_ = {};
        regions = kept_ = store_.read(source);
    } else {
        kept_ = regions;
    }
    return "";
} catch (const Error& error) {
    return error.what();
}

}  // namespace saccade
