#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>

#include "app/hub/http.h"

namespace saccade {

// How the Hub is reached.
struct HubSettings {
    std::string endpoint;  // without a slash at its end
    std::string token;     // for models that ask who wants them; empty: none
    bool offline = false;

    unsigned attempts = 5;                        // in a row that bring nothing
    std::chrono::milliseconds first_pause{1000};  // doubles from failure to failure
    std::chrono::seconds longest_pause{60}, patience{30};

    // HF_ENDPOINT, HF_TOKEN and HF_HUB_OFFLINE.
    static HubSettings from_environment();
};

// A revision of a model as the Hub has it.
struct HubRevision {
    std::string commit;
    std::set<std::string> files = {};
};

// A file of a commit.
struct HubFile {
    std::string name, url;
    std::string etag = {};  // its SHA-256, or its SHA-1 as a git blob
    std::optional<uint64_t> bytes = {};
};

// The Hub's API, as far as downloading a model needs it. What it sends is checked: commits and
// etags become names of files. Failures that may pass are tried again.
class HubClient {
public:
    explicit HubClient(HubSettings settings, std::stop_token stop = {});

    HubRevision revision(const std::string& model, const std::string& revision);
    HubFile file(const std::string& model, const std::string& commit, const std::string& name);

    // Completes `path`, which may hold the file's beginning. `on_bytes` hears of every change of
    // how much of it is there.
    void fetch(const HubFile& file, const std::filesystem::path& path,
               const std::function<void(int64_t change)>& on_bytes);

private:
    // One request, with the redirects that it leads to. The token goes to the endpoint alone.
    HttpAnswer ask(HttpRequest request, const HttpSink& sink);
    HttpAnswer head(const std::string& url);
    template <typename Act>
    auto patiently(Act act);
    void pause(unsigned failures, const PassingError& error);

    HubSettings settings_;
    std::stop_token stop_;
    HttpClient http_;
};

}  // namespace saccade
