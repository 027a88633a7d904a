#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace saccade {

// A variable of the environment; nothing if it is unset or empty.
std::optional<std::string> variable(const char* name);

// Whether this is a valid name of a model on the Hub: "name" or "organisation/name".
bool is_hub_name(std::string_view name);

// A model of the Hub as users write it: NAME[@REVISION].
struct HubModel {
    std::string name;
    std::optional<std::string> revision;  // a branch, a tag, refs/pr/N or a commit

    // nullopt if it cannot be a model of the Hub, a path for instance.
    static std::optional<HubModel> parse(std::string_view text);
    std::string text() const { return revision ? name + "@" + *revision : name; }
};

// The cache of Hugging Face's libraries. For each model it has
//   models--ORGANISATION--NAME/refs/REVISION       the commit that the revision last resolved to
//   models--ORGANISATION--NAME/snapshots/COMMIT/   its files, as links to
//   models--ORGANISATION--NAME/blobs/ETAG
class HubCache {
public:
    // Located by HF_HUB_CACHE, HF_HOME or XDG_CACHE_HOME, else below ~/.cache.
    HubCache();
    explicit HubCache(std::filesystem::path folder) : folder_(std::move(folder)) {}

    const std::filesystem::path& folder() const { return folder_; }
    // The folder of one model.
    std::filesystem::path repository(std::string_view name) const;
    std::filesystem::path reference(std::string_view name, std::string_view revision) const;
    std::filesystem::path snapshot(std::string_view name, std::string_view commit) const;

    // The commit that a revision resolved to when it was last downloaded.
    std::optional<std::string> commit(std::string_view name, std::string_view revision) const;
    // Cached snapshots of a model, by preference if no revision is given: main, then `preferred`,
    // then the others.
    std::vector<std::filesystem::path> snapshots(
        std::string_view name, const std::optional<std::string>& preferred = std::nullopt) const;
    // Names of all models that have a folder in the cache, sorted.
    std::vector<std::string> models() const;

private:
    std::filesystem::path folder_;
};

}  // namespace saccade
