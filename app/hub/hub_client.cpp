#include "app/hub/hub_client.h"

#include <fcntl.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <thread>

#include "app/hub/hub_cache.h"
#include "app/io/text.h"
#include "gpu/core/files.h"
#include "models/files/json.h"

namespace saccade {
namespace {

constexpr const char* public_hub = "https://huggingface.co";
constexpr size_t most_json_bytes = 16 << 20;
constexpr size_t most_refusal_bytes = 1 << 20;  // of the body of an error
// Of a file without Content-Length. Weights always have one.
constexpr uint64_t most_unannounced_bytes = 64 << 20;

struct Enough {};  // thrown to skip the body of a response
constexpr int most_redirects = 8;

bool is_hex(std::string_view text) {
    return std::ranges::all_of(
        text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

std::string percent_encoded(std::string_view text) {
    constexpr std::string_view
        plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~",
        digits = "0123456789ABCDEF";
    std::string result;
    for (char c : text) {
        if (plain.find(c) != plain.npos) {
            result += c;
        } else {
            const auto byte = static_cast<unsigned char>(c);
            result += {'%', digits[byte >> 4], digits[byte & 15]};
        }
    }
    return result;
}

// Scheme, host and port.
std::string origin_of(const std::string& url) {
    const size_t host = url.find("://");
    if (host == url.npos) return url;
    return in_lower_case(url.substr(0, std::min(url.find_first_of("/?#", host + 3), url.size())));
}

std::string header(const HttpResponse& response, const std::string& name) {
    const auto found = response.headers.find(name);
    return found == response.headers.end() ? "" : found->second;
}

std::optional<uint64_t> whole(const std::string& text) {
    uint64_t value;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || error != std::errc() || end != text.data() + text.size())
        return std::nullopt;
    return value;
}

// "W/"abc"" -> "abc"
std::string etag_of(const HttpResponse& response) {
    std::string etag = header(response, "x-linked-etag");
    if (etag.empty()) etag = header(response, "etag");
    if (etag.starts_with("W/")) etag.erase(0, 2);
    if (etag.size() >= 2 && etag.front() == '"' && etag.back() == '"')
        etag = etag.substr(1, etag.size() - 2);
    return etag;
}

bool is_redirect(const HttpResponse& response) {
    return response.status >= 300 && response.status < 400;
}

// Throws an Error about `what` for every status except success.
void check(const HttpResponse& response, const std::string& what, bool has_token) {
    if (response.status >= 200 && response.status < 300) return;
    const std::string status = "the Hub answers " + std::to_string(response.status);
    const std::string code = header(response, "x-error-code");
    if (response.status == 401 || response.status == 403) {
        const std::string wanted = has_token ? "HF_TOKEN holds a token that may not read it"
                                             : "set HF_TOKEN to an access token that may read it";
        throw Error(what +
                    (code == "GatedRepo"
                         ? ": is gated; accept its terms on its page at the Hub, and "
                         : ": does not exist or is private (" + status + "); check the name, or ") +
                    wanted);
    }
    if (response.status == 404)
        throw Error(what + ": not found at the Hub (" +
                    (code.empty() ? "404" : "404 " + in_quotes(code)) + "); check the name");
    const bool busy = response.status == 429 || response.status == 408 || response.status >= 500;
    if (!busy) throw Error(what + ": " + status);
    std::optional<std::chrono::seconds> after;
    if (const auto seconds = whole(header(response, "retry-after")))
        after = std::chrono::seconds(std::min<uint64_t>(*seconds, 1'000'000));
    throw TransientError(what + ": " + status +
                             (response.status == 429 ? ", too many requests" : "") +
                             "; try again later",
                         after);
}

// A file that is appended to.
class GrowingFile {
public:
    explicit GrowingFile(const std::filesystem::path& path)
        : path_(path),
          fd_(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666)) {
        struct stat status {};
        if (fd_.get() < 0 || ::fstat(fd_.get(), &status) != 0) fail();
        size_ = static_cast<uint64_t>(status.st_size);
    }

    uint64_t size() const { return size_; }
    void empty() {
        if (::ftruncate(fd_.get(), 0) != 0) fail();
        size_ = 0;
    }
    void append(std::span<const std::byte> bytes) {
        while (!bytes.empty()) {
            const ssize_t written =
                ::pwrite(fd_.get(), bytes.data(), bytes.size(), static_cast<off_t>(size_));
            if (written < 0 && errno == EINTR) continue;
            if (written < 0) fail();
            size_ += static_cast<uint64_t>(written);
            bytes = bytes.subspan(static_cast<size_t>(written));
        }
    }
    void close() {
        if (fd_.close() != 0) fail();
    }

private:
    [[noreturn]] void fail() const { refuse_write(path_, errno); }

    std::filesystem::path path_;
    Descriptor fd_;
    uint64_t size_ = 0;
};

}  // namespace

HubSettings HubSettings::from_environment() {
    HubSettings settings;
    settings.endpoint = variable("HF_ENDPOINT").value_or("");
    if (settings.endpoint.empty()) settings.endpoint = public_hub;
    while (settings.endpoint.ends_with('/')) settings.endpoint.pop_back();
    settings.token = variable("HF_TOKEN").value_or("");
    std::string offline = variable("HF_HUB_OFFLINE").value_or("");
    std::ranges::transform(offline, offline.begin(),
                           [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    settings.offline = offline == "1" || offline == "ON" || offline == "YES" || offline == "TRUE";
    return settings;
}

HubClient::HubClient(HubSettings settings, std::stop_token stop)
    : settings_(std::move(settings)), stop_(stop), http_(settings_.stall_timeout, stop) {
    if (std::ranges::any_of(settings_.token, [](char c) { return c <= ' ' || c > '~'; }))
        throw Error("HF_TOKEN is not an access token: it has a space or a line break in it");
}

HttpResponse HubClient::ask(HttpRequest request, const HttpSink& sink) {
    for (int hops = 0; hops <= most_redirects; ++hops) {
        HttpRequest hop = request;
        if (!settings_.token.empty() && origin_of(hop.url) == origin_of(settings_.endpoint))
            hop.headers.push_back("Authorization: Bearer " + settings_.token);
        HttpResponse response;
        size_t refusal_bytes = 0;
        try {
            response = http_.request(
                hop, [&](const HttpResponse& so_far, std::span<const std::byte> piece) {
                    if (so_far.status >= 200 && so_far.status < 300) return sink(so_far, piece);
                    if ((refusal_bytes += piece.size()) <= most_refusal_bytes) return;
                    response = so_far;
                    throw Enough();
                });
        } catch (const Enough&) {
        }
        if (!is_redirect(response)) return response;
        if (response.location.empty())
            throw Error(in_quotes(hop.url) + ": the server redirects without an address");
        if (hop.url.starts_with("https:") && !response.location.starts_with("https:"))
            throw Error(in_quotes(hop.url) + ": leads to " + in_quotes(response.location) +
                        ", which is not encrypted; the download was stopped");
        request.url = response.location;
    }
    throw Error(in_quotes(request.url) + ": redirects too often");
}

// The Hub redirects large files to another host; the headers of its redirect have the commit, the
// ETag and the size.
HttpResponse HubClient::head(const std::string& url) {
    HttpRequest request{.url = url, .head = true};
    for (int hops = 0; hops <= most_redirects; ++hops) {
        HttpRequest hop = request;
        if (!settings_.token.empty())
            hop.headers.push_back("Authorization: Bearer " + settings_.token);
        const HttpResponse response = http_.request(hop, [](const auto&, auto) {});
        if (!is_redirect(response) || !header(response, "x-linked-etag").empty() ||
            origin_of(response.location) != origin_of(settings_.endpoint))
            return response;
        request.url = response.location;
    }
    throw Error(in_quotes(url) + ": redirects too often");
}

void HubClient::back_off(unsigned failures, const TransientError& error) {
    const std::chrono::milliseconds longest = settings_.longest_backoff;
    if (error.after() && *error.after() > longest)
        throw Error(std::string(error.what()) + ", in " + std::to_string(error.after()->count()) +
                    " seconds");
    const auto pause = error.after()
                           ? std::chrono::milliseconds(*error.after())
                           : std::min(settings_.first_backoff * (1 << (failures - 1)), longest);
    // A long wait is announced.
    spdlog::warn("{}; trying again in {:.0f} s ({} of {})", error.what(),
                 std::ceil(std::chrono::duration<double>(pause).count()), failures + 1,
                 settings_.attempts);
    const auto end = std::chrono::steady_clock::now() + pause;
    while (std::chrono::steady_clock::now() < end) {
        if (stop_.stop_requested()) throw Error("stopped");
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
}

template <typename Act>
auto HubClient::with_retries(Act act) {
    for (unsigned failures = 1;; ++failures) try {
            return act();
        } catch (const TransientError& error) {
            if (failures >= settings_.attempts) throw Error(error.what());
            back_off(failures, error);
        }
}

HubRevision HubClient::revision(const std::string& model, const std::string& revision) {
    const std::string what = revision == "main" ? model : model + "@" + revision;
    const std::string url =
        settings_.endpoint + "/api/models/" + model + "/revision/" + percent_encoded(revision);
    const std::string text = with_retries([&] {
        std::string body;
        const HttpResponse response =
            ask({.url = url}, [&](const HttpResponse&, std::span<const std::byte> piece) {
                if (body.size() + piece.size() > most_json_bytes)
                    throw Error(in_quotes(url) + ": the response is too long");
                body.append(reinterpret_cast<const char*>(piece.data()), piece.size());
            });
        check(response, what, !settings_.token.empty());
        return body;
    });

    const Json json = parse_json(text, url);
    const JsonFields fields(json, url);
    HubRevision result{.commit = fields.text("sha")};
    if (result.commit.size() != 40 || !is_hex(result.commit))
        fields.refuse("sha", in_quotes(result.commit) + " is not a commit");
    const Json* siblings = fields.find("siblings");
    if (!siblings || !siblings->is_array()) fields.refuse("siblings", "is not a list of files");
    for (const Json& sibling : *siblings)
        result.files.insert(JsonFields(sibling, url).text("rfilename"));
    return result;
}

HubFile HubClient::file(const std::string& model, const std::string& commit,
                        const std::string& name) {
    HubFile file{.name = name,
                 .url = settings_.endpoint + "/" + model + "/resolve/" + commit + "/" +
                        percent_encoded(name)};
    const std::string what = model + ": " + name;
    const HttpResponse response = with_retries([&] {
        HttpResponse found = head(file.url);
        if (!is_redirect(found)) check(found, what, !settings_.token.empty());
        return found;
    });
    const std::string at = header(response, "x-repo-commit");
    if (!at.empty() && at != commit)
        throw Error(what + ": the Hub offers that of commit " + in_quotes(at) + ", not of " +
                    commit);
    file.etag = etag_of(response);
    if ((file.etag.size() != 40 && file.etag.size() != 64) || !is_hex(file.etag))
        throw Error(what + ": the Hub gives no checksum for it (etag " + in_quotes(file.etag) +
                    ")");
    std::string bytes = header(response, "x-linked-size");
    if (bytes.empty() && !is_redirect(response)) bytes = header(response, "content-length");
    file.bytes = whole(bytes);
    return file;
}

void HubClient::fetch(const HubFile& file, const std::filesystem::path& path,
                      const std::function<void(int64_t change)>& on_bytes) {
    GrowingFile out(path);
    on_bytes(static_cast<int64_t>(out.size()));
    auto restart = [&] {
        on_bytes(-static_cast<int64_t>(out.size()));
        out.empty();
    };
    // Without a known size, a complete file cannot be told from a partial one.
    if (!file.bytes) restart();

    unsigned failures = 0;
    while (!file.bytes || out.size() < *file.bytes) {
        const uint64_t before = out.size();
        try {
            bool first = true;
            auto take = [&](const HttpResponse& response, std::span<const std::byte> piece) {
                // A server without support for ranges sends the whole file.
                if (first && before > 0 &&
                    (response.status != 206 ||
                     !header(response, "content-range")
                          .starts_with("bytes " + std::to_string(before) + "-")))
                    restart();
                first = false;
                const uint64_t most = file.bytes.value_or(most_unannounced_bytes);
                if (piece.size() > most - out.size()) {
                    if (!file.bytes) restart();  // it cannot be continued
                    throw Error(file.name + ": the server sends more than " +
                                (file.bytes
                                     ? "the " + std::to_string(most) + " bytes that it announced"
                                     : std::to_string(most) +
                                           " bytes without announcing how many there are"));
                }
                out.append(piece);
                on_bytes(static_cast<int64_t>(piece.size()));
            };
            const HttpResponse response = ask({.url = file.url, .from = before}, take);
            if (response.status == 416) {  // Range Not Satisfiable
                restart();
                throw TransientError(file.name + ": the server cannot continue the download");
            }
            check(response, file.name, !settings_.token.empty());
            if (!file.bytes) break;
            if (out.size() < *file.bytes)
                throw TransientError(file.name + ": the server sent " + std::to_string(out.size()) +
                                     " of " + std::to_string(*file.bytes) + " bytes");
        } catch (const TransientError& error) {
            // A few bytes per attempt do not count as progress: the download would never end.
            const auto enough =
                static_cast<uint64_t>(settings_.stall_timeout.count()) * HttpClient::slowest;
            failures = out.size() > before + enough ? 1 : failures + 1;
            if (failures >= settings_.attempts)
                throw Error(std::string(error.what()) +
                            "; what was downloaded is kept, pull again to continue");
            back_off(failures, error);
        }
    }
    out.close();
}

}  // namespace saccade
