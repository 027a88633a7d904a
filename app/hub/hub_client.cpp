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
constexpr size_t most_refusal_bytes = 1 << 20;  // of a page that says why there is nothing
// Of a file whose length nobody announces. Weights always have one.
constexpr uint64_t most_unannounced_bytes = 64 << 20;

struct Enough {};  // thrown to end a transfer whose status says it all
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

std::string header(const HttpAnswer& answer, const std::string& name) {
    const auto found = answer.headers.find(name);
    return found == answer.headers.end() ? "" : found->second;
}

std::optional<uint64_t> whole(const std::string& text) {
    uint64_t value;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || error != std::errc() || end != text.data() + text.size())
        return std::nullopt;
    return value;
}

// "W/"abc"" -> "abc"
std::string etag_of(const HttpAnswer& answer) {
    std::string etag = header(answer, "x-linked-etag");
    if (etag.empty()) etag = header(answer, "etag");
    if (etag.starts_with("W/")) etag.erase(0, 2);
    if (etag.size() >= 2 && etag.front() == '"' && etag.back() == '"')
        etag = etag.substr(1, etag.size() - 2);
    return etag;
}

bool is_redirect(const HttpAnswer& answer) { return answer.status >= 300 && answer.status < 400; }

// Turns every status but success into an Error about `what`.
void check(const HttpAnswer& answer, const std::string& what, bool has_token) {
    if (answer.status >= 200 && answer.status < 300) return;
    const std::string status = "the Hub answers " + std::to_string(answer.status);
    const std::string code = header(answer, "x-error-code");
    if (answer.status == 401 || answer.status == 403) {
        const std::string wanted = has_token ? "HF_TOKEN holds a token that may not read it"
                                             : "set HF_TOKEN to an access token that may read it";
        throw Error(what +
                    (code == "GatedRepo"
                         ? ": is gated; accept its terms on its page at the Hub, and "
                         : ": does not exist or is private (" + status + "); check the name, or ") +
                    wanted);
    }
    if (answer.status == 404)
        throw Error(what + ": not found at the Hub (" +
                    (code.empty() ? "404" : "404 " + in_quotes(code)) + "); check the name");
    const bool busy = answer.status == 429 || answer.status == 408 || answer.status >= 500;
    if (!busy) throw Error(what + ": " + status);
    std::optional<std::chrono::seconds> after;
    if (const auto seconds = whole(header(answer, "retry-after")))
        after = std::chrono::seconds(std::min<uint64_t>(*seconds, 1'000'000));
    throw PassingError(what + ": " + status + (answer.status == 429 ? ", too many requests" : "") +
                           "; try again later",
                       after);
}

// A file that grows at its end.
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
    : settings_(std::move(settings)), stop_(stop), http_(settings_.patience, stop) {
    if (std::ranges::any_of(settings_.token, [](char c) { return c <= ' ' || c > '~'; }))
        throw Error("HF_TOKEN is not an access token: it has a space or a line break in it");
}

HttpAnswer HubClient::ask(HttpRequest request, const HttpSink& sink) {
    for (int hops = 0; hops <= most_redirects; ++hops) {
        HttpRequest hop = request;
        if (!settings_.token.empty() && origin_of(hop.url) == origin_of(settings_.endpoint))
            hop.headers.push_back("Authorization: Bearer " + settings_.token);
        HttpAnswer answer;
        size_t refusal_bytes = 0;
        try {
            answer =
                http_.request(hop, [&](const HttpAnswer& so_far, std::span<const std::byte> piece) {
                    if (so_far.status >= 200 && so_far.status < 300) return sink(so_far, piece);
                    if ((refusal_bytes += piece.size()) <= most_refusal_bytes) return;
                    answer = so_far;
                    throw Enough();
                });
        } catch (const Enough&) {
        }
        if (!is_redirect(answer)) return answer;
        if (answer.location.empty())
            throw Error(in_quotes(hop.url) + ": the server redirects without an address");
        if (hop.url.starts_with("https:") && !answer.location.starts_with("https:"))
            throw Error(in_quotes(hop.url) + ": leads to " + in_quotes(answer.location) +
                        ", which is not encrypted; the download was stopped");
        request.url = answer.location;
    }
    throw Error(in_quotes(request.url) + ": redirects too often");
}

// Of a file whose content lies with somebody else the Hub itself says what there is to know, in the
// redirect to there.
HttpAnswer HubClient::head(const std::string& url) {
    HttpRequest request{.url = url, .head = true};
    for (int hops = 0; hops <= most_redirects; ++hops) {
        HttpRequest hop = request;
        if (!settings_.token.empty())
            hop.headers.push_back("Authorization: Bearer " + settings_.token);
        const HttpAnswer answer = http_.request(hop, [](const auto&, auto) {});
        if (!is_redirect(answer) || !header(answer, "x-linked-etag").empty() ||
            origin_of(answer.location) != origin_of(settings_.endpoint))
            return answer;
        request.url = answer.location;
    }
    throw Error(in_quotes(url) + ": redirects too often");
}

void HubClient::pause(unsigned failures, const PassingError& error) {
    const std::chrono::milliseconds longest = settings_.longest_pause;
    if (error.after() && *error.after() > longest)
        throw Error(std::string(error.what()) + ", in " + std::to_string(error.after()->count()) +
                    " seconds");
    const auto pause = error.after()
                           ? std::chrono::milliseconds(*error.after())
                           : std::min(settings_.first_pause * (1 << (failures - 1)), longest);
    // Nobody is to wonder why nothing happens.
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
auto HubClient::patiently(Act act) {
    for (unsigned failures = 1;; ++failures) try {
            return act();
        } catch (const PassingError& error) {
            if (failures >= settings_.attempts) throw Error(error.what());
            pause(failures, error);
        }
}

HubRevision HubClient::revision(const std::string& model, const std::string& revision) {
    const std::string what = revision == "main" ? model : model + "@" + revision;
    const std::string url =
        settings_.endpoint + "/api/models/" + model + "/revision/" + percent_encoded(revision);
    const std::string text = patiently([&] {
        std::string body;
        const HttpAnswer answer =
            ask({.url = url}, [&](const HttpAnswer&, std::span<const std::byte> piece) {
                if (body.size() + piece.size() > most_json_bytes)
                    throw Error(in_quotes(url) + ": the answer is too long");
                body.append(reinterpret_cast<const char*>(piece.data()), piece.size());
            });
        check(answer, what, !settings_.token.empty());
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
    const HttpAnswer answer = patiently([&] {
        HttpAnswer found = head(file.url);
        if (!is_redirect(found)) check(found, what, !settings_.token.empty());
        return found;
    });
    const std::string at = header(answer, "x-repo-commit");
    if (!at.empty() && at != commit)
        throw Error(what + ": the Hub offers that of commit " + in_quotes(at) + ", not of " +
                    commit);
    file.etag = etag_of(answer);
    if ((file.etag.size() != 40 && file.etag.size() != 64) || !is_hex(file.etag))
        throw Error(what + ": the Hub gives no checksum for it (etag " + in_quotes(file.etag) +
                    ")");
    std::string bytes = header(answer, "x-linked-size");
    if (bytes.empty() && !is_redirect(answer)) bytes = header(answer, "content-length");
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
    // Only a known size tells a whole file from a beginning.
    if (!file.bytes || out.size() > *file.bytes) restart();

    unsigned failures = 0;
    while (!file.bytes || out.size() < *file.bytes) {
        const uint64_t before = out.size();
        try {
            bool first = true;
            auto take = [&](const HttpAnswer& answer, std::span<const std::byte> piece) {
                // A server that knows no ranges sends all of it.
                if (first && before > 0 &&
                    (answer.status != 206 ||
                     !header(answer, "content-range")
                          .starts_with("bytes " + std::to_string(before) + "-")))
                    restart();
                first = false;
                const uint64_t most = file.bytes.value_or(most_unannounced_bytes);
                if (piece.size() > most - out.size()) {
                    if (!file.bytes) restart();  // nobody can go on from there
                    throw Error(file.name + ": the server sends more than " +
                                (file.bytes
                                     ? "the " + std::to_string(most) + " bytes that it announced"
                                     : std::to_string(most) +
                                           " bytes without announcing how many there are"));
                }
                out.append(piece);
                on_bytes(static_cast<int64_t>(piece.size()));
            };
            const HttpAnswer answer = ask({.url = file.url, .from = before}, take);
            if (answer.status == 416) {  // nothing there from `before` on
                restart();
                throw PassingError(file.name + ": the server cannot continue the download");
            }
            check(answer, file.name, !settings_.token.empty());
            if (!file.bytes) break;
            if (out.size() < *file.bytes)
                throw PassingError(file.name + ": the server sent " + std::to_string(out.size()) +
                                   " of " + std::to_string(*file.bytes) + " bytes");
        } catch (const PassingError& error) {
            // A few bytes each time are no progress: it would never end.
            const auto enough =
                static_cast<uint64_t>(settings_.patience.count()) * HttpClient::slowest;
            failures = out.size() > before + enough ? 1 : failures + 1;
            if (failures >= settings_.attempts)
                throw Error(std::string(error.what()) +
                            "; what was downloaded is kept, pull again to continue");
            pause(failures, error);
        }
    }
    out.close();
}

}  // namespace saccade
