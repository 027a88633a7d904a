#include "app/track/region_store.h"

#include <cctype>
#include <nlohmann/json.hpp>

#include "app/io/digest.h"
#include "gpu/core/error.h"
#include "gpu/core/files.h"

namespace saccade {

namespace {

namespace fs = std::filesystem;

// The end of a source's path or URL.
std::string readable_part(const SourceName& source) {
    const std::string text = source.text();
    std::string part = text.substr(text.find_last_of("/\\") + 1);
    for (char& c : part)
        if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-' && c != '.') c = '_';
    return part.substr(0, 60);
}

SourceName whole_name(const SourceName& source) {
    std::error_code none;
    const std::string& name = source.unmasked();
    return fs::exists(name, none) ? SourceName(fs::weakly_canonical(name, none)) : source;
}

}  // namespace

fs::path RegionStore::file_of(const SourceName& source) const {
    const SourceName whole = whole_name(source);
    Digest digest = Digest::sha256();
    digest.update(whole.unmasked());
    return folder_ / (readable_part(whole) + "-" + hex(digest.finish()).substr(0, 16) + ".json");
}

Regions RegionStore::read(const SourceName& source) const {
    std::error_code none;
    if (folder_.empty() || source.empty() || !fs::exists(file_of(source), none)) return {};
    return read_regions(file_of(source));
}

void RegionStore::write(const SourceName& source, const Regions& regions) const {
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

Regions KeptRegions::read(const SourceName& source) const {
    for (const auto& [name, regions] : of_run_)
        if (name == source) return regions;
    return store_.read(source);
}

void KeptRegions::write(const SourceName& source, const Regions& regions) {
    if (lifetime_ == Lifetime::beyond) return store_.write(source, regions);
    std::erase_if(of_run_, [&](const auto& one) { return one.first == source; });
    of_run_.emplace_back(source, regions);
}

std::string KeptRegions::follow(const SourceName& source, Regions& regions) try {
    const bool first = !source_, other = source_ != source;
    if (!other && regions == kept_) return "";
    source_ = source;
    if (!other) {
        kept_ = regions;
        write(source, regions);
    } else if (!first || regions.all.empty()) {
        regions = kept_ = {};
        regions = kept_ = read(source);
    } else {
        kept_ = regions;
    }
    return "";
} catch (const Error& error) {
    return error.what();
}

}  // namespace saccade
