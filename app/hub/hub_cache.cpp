#include "app/hub/hub_cache.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>

namespace saccade {

std::optional<std::string> variable(const char* name) {
    const char* value = std::getenv(name);
    return value && *value ? std::optional<std::string>(value) : std::nullopt;
}

namespace {

constexpr std::string_view folder_prefix = "models--";

std::filesystem::path home() { return variable("HOME").value_or("/"); }

// Expands a leading ~ or ~user, as Hugging Face's libraries do.
std::filesystem::path expanded(const std::string& path) {
    if (path == "~") return home();
    return path.starts_with("~/") ? home() / path.substr(2) : std::filesystem::path(path);
}

std::filesystem::path default_folder() {
    for (const char* name : {"HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"})
        if (const auto folder = variable(name)) return expanded(*folder);
    if (const auto folder = variable("HF_HOME")) return expanded(*folder) / "hub";
    if (const auto folder = variable("XDG_CACHE_HOME"))
        return expanded(*folder) / "huggingface" / "hub";
    return home() / ".cache" / "huggingface" / "hub";
}

bool is_word(std::string_view text) {
    return !text.empty() && text.front() != '.' && text.front() != '-' && text.back() != '.' &&
           text.back() != '-' && text.find("..") == text.npos && text.find("--") == text.npos &&
           std::ranges::all_of(text, [](unsigned char c) {
               return std::isalnum(c) || c == '.' || c == '-' || c == '_';
           });
}

// A revision is a path below refs/, so it must not lead outside.
bool is_revision(std::string_view text) {
    if (text.empty() || text.size() > 200) return false;
    for (size_t begin = 0; begin <= text.size();) {
        const size_t end = std::min(text.find('/', begin), text.size());
        const std::string_view part = text.substr(begin, end - begin);
        if (part.empty() || part.front() == '.' || !std::ranges::all_of(part, [](unsigned char c) {
                return std::isalnum(c) || c == '.' || c == '-' || c == '_' || c == '+';
            }))
            return false;
        begin = end + 1;
    }
    return true;
}

bool is_folder(const std::filesystem::path& path) {
    std::error_code ignored;
    return std::filesystem::is_directory(path, ignored);
}

std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder) {
    std::error_code error;
    std::vector<std::filesystem::path> entries;
    for (std::filesystem::directory_iterator i(folder, error), end; !error && i != end;
         i.increment(error))
        entries.push_back(i->path());
    std::ranges::sort(entries);
    return entries;
}

}  // namespace

bool is_hub_name(std::string_view name) {
    if (name.size() > 96 + 96) return false;
    const size_t slash = name.find('/');
    if (slash == name.npos) return is_word(name);
    return is_word(name.substr(0, slash)) && is_word(name.substr(slash + 1));
}

std::optional<HubModel> HubModel::parse(std::string_view text) {
    const size_t at = text.find('@');
    HubModel model;
    model.name = text.substr(0, at);
    if (!is_hub_name(model.name)) return std::nullopt;
    if (at == text.npos) return model;
    model.revision = text.substr(at + 1);
    if (!is_revision(*model.revision)) return std::nullopt;
    return model;
}

HubCache::HubCache() : folder_(default_folder()) {}

std::filesystem::path HubCache::repository(std::string_view name) const {
    std::string folder(folder_prefix);
    for (char c : name) folder += c == '/' ? "--" : std::string(1, c);
    return folder_ / folder;
}

std::filesystem::path HubCache::reference(std::string_view name, std::string_view revision) const {
    return repository(name) / "refs" / revision;
}

std::filesystem::path HubCache::snapshot(std::string_view name, std::string_view commit) const {
    return repository(name) / "snapshots" / commit;
}

std::optional<std::string> HubCache::commit(std::string_view name,
                                            std::string_view revision) const {
    std::string commit;
    if (std::ifstream(reference(name, revision)) >> commit && is_revision(commit) &&
        commit.find('/') == commit.npos)
        return commit;
    if (revision.find('/') == revision.npos && is_folder(snapshot(name, revision)))
        return std::string(revision);
    return std::nullopt;
}

std::vector<std::filesystem::path> HubCache::snapshots(
    std::string_view name, const std::optional<std::string>& preferred) const {
    std::vector<std::filesystem::path> found;
    auto add = [&](const std::filesystem::path& folder) {
        if (is_folder(folder) && std::ranges::find(found, folder) == found.end())
            found.push_back(folder);
    };
    for (const std::string& revision : {std::string("main"), preferred.value_or("main")})
        if (const auto known = commit(name, revision)) add(snapshot(name, *known));
    for (const auto& folder : entries_of(repository(name) / "snapshots")) add(folder);
    return found;
}

std::vector<std::string> HubCache::models() const {
    std::vector<std::string> names;
    for (const auto& entry : entries_of(folder_)) {
        const std::string folder = entry.filename().string();
        if (!folder.starts_with(folder_prefix)) continue;
        std::string name = folder.substr(folder_prefix.size());
        if (const size_t slash = name.find("--"); slash != name.npos) name.replace(slash, 2, "/");
        if (is_hub_name(name) && is_folder(entry)) names.push_back(name);
    }
    return names;
}

}  // namespace saccade
