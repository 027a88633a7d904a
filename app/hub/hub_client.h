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
    std::string token;     // for gated and private models; empty: none
    bool offline = false;

    unsigned attempts = 5;                          // without any progress
    std::chrono::milliseconds first_backoff{1000};  // doubles with each failure
    std::chrono::seconds longest_backoff{60}, stall_timeout{30};

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

// The Hub's API, as far as downloading a model needs it. Commits and ETags become file names, so
// they are validated. Transient failures are retried with exponential back-off.
class HubClient {
public:
    explicit HubClient(HubSettings settings, std::stop_token stop = {});

    HubRevision revision(const std::string& model, const std::string& revision);
    HubFile file(const std::string& model, const std::string& commit, const std::string& name);

    // Downloads the rest of a file to `path`, which may hold its beginning. Calls `on_bytes` with
    // every change of its size.
    void fetch(const HubFile& file, const std::filesystem::path& path,
               const std::function<void(int64_t change)>& on_bytes);

private:
    // Sends a request and follows redirects. Only the endpoint itself gets the token.
    HttpResponse ask(HttpRequest request, const HttpSink& sink);
    HttpResponse head(const std::string& url);
    template <typename Act>
    auto with_retries(Act act);
    void back_off(unsigned failures, const TransientError& error);

    HubSettings settings_;
    std::stop_token stop_;
    HttpClient http_;
};

}  // namespace saccade
