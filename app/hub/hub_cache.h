#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace saccade {

// Of the environment; nothing where it is empty.
std::optional<std::string> variable(const char* name);

// Whether the Hub could have a model of this name: "name" or "organisation/name".
bool is_hub_name(std::string_view name);

// A model of the Hub as people write it: NAME[@REVISION].
struct HubModel {
    std::string name;
    std::optional<std::string> revision;  // a branch, a tag, refs/pr/N or a commit

    // nullopt for what cannot be one, a path for instance.
    static std::optional<HubModel> parse(std::string_view text);
    std::string text() const { return revision ? name + "@" + *revision : name; }
};

// The cache in which Hugging Face's libraries keep what they download. Of each model it has
//   models--ORGANISATION--NAME/refs/REVISION       the commit that the revision was when last asked
//   models--ORGANISATION--NAME/snapshots/COMMIT/   its files, as links to
//   models--ORGANISATION--NAME/blobs/ETAG
class HubCache {
public:
    // Where the environment says it is: HF_HUB_CACHE, HF_HOME, XDG_CACHE_HOME, or below ~/.cache.
    HubCache();
    explicit HubCache(std::filesystem::path folder) : folder_(std::move(folder)) {}

    const std::filesystem::path& folder() const { return folder_; }
    // Everything of one model.
    std::filesystem::path repository(std::string_view name) const;
    std::filesystem::path reference(std::string_view name, std::string_view revision) const;
    std::filesystem::path snapshot(std::string_view name, std::string_view commit) const;

    // The commit that a revision stands for here.
    std::optional<std::string> commit(std::string_view name, std::string_view revision) const;
    // Snapshots of a model that are here, in the order in which somebody who asks for no revision
    // wants them: main, then `preferred`, then the others.
    std::vector<std::filesystem::path> snapshots(
        std::string_view name, const std::optional<std::string>& preferred = std::nullopt) const;
    // Names of all models that have a folder here, sorted.
    std::vector<std::string> models() const;

private:
    std::filesystem::path folder_;
};

}  // namespace saccade
