#include "app/hub/http.h"

#include <curl/curl.h>

#include <algorithm>
#include <exception>

#include "app/io/text.h"
#include "models/files/json.h"

namespace saccade {
namespace {

constexpr size_t most_header_bytes = 1 << 16;

// libcurl must be initialized once, before there are threads.
void start_curl() {
    static const bool started = curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
    if (!started) throw Error("libcurl cannot be started");
}

// The state of a running request.
struct Transfer {
    CURL* curl;
    const HttpSink& sink;
    const std::stop_token& stop;
    HttpResponse response;
    size_t header_bytes = 0;
    std::exception_ptr thrown;  // by the sink; it must not unwind through libcurl's C code

    void take_header(std::string_view line) {
        if (line.starts_with("HTTP/"))
            response.headers.clear();  // those of 100 Continue, or of a proxy
        const size_t colon = line.find(':');
        if (colon == line.npos) return;
        const std::string name = in_lower_case(line.substr(0, colon));
        std::string_view value = line.substr(colon + 1);
        const size_t first = value.find_first_not_of(" \t"),
                     last = value.find_last_not_of(" \t\r\n");
        response.headers[name] = first == value.npos ? "" : value.substr(first, last - first + 1);
    }
};

size_t on_header(char* data, size_t, size_t count, void* user) {
    auto& transfer = *static_cast<Transfer*>(user);
    transfer.header_bytes += count;
    if (transfer.header_bytes > most_header_bytes) return 0;
    transfer.take_header({data, count});
    return count;
}

size_t on_body(char* data, size_t, size_t count, void* user) {
    auto& transfer = *static_cast<Transfer*>(user);
    curl_easy_getinfo(transfer.curl, CURLINFO_RESPONSE_CODE, &transfer.response.status);
    try {
        transfer.sink(transfer.response, {reinterpret_cast<const std::byte*>(data), count});
        return count;
    } catch (...) {
        transfer.thrown = std::current_exception();
        return 0;
    }
}

int on_progress(void* user, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
    return static_cast<Transfer*>(user)->stop.stop_requested() ? 1 : 0;
}

}  // namespace

struct HttpClient::Handle {
    CURL* curl;
    std::stop_token stop;
};

HttpClient::HttpClient(std::chrono::seconds stall_timeout, std::stop_token stop) {
    start_curl();
    CURL* curl = curl_easy_init();
    if (!curl) throw Error("libcurl cannot be started");
    handle_ = std::make_unique<Handle>(Handle{curl, std::move(stop)});
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_USERAGENT, "saccade/" SACCADE_VERSION);
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, static_cast<long>(stall_timeout.count()));
    curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, static_cast<long>(slowest));
    curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, static_cast<long>(stall_timeout.count()));
    curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, on_header);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, on_progress);
}

HttpClient::~HttpClient() { curl_easy_cleanup(handle_->curl); }

HttpResponse HttpClient::request(const HttpRequest& request, const HttpSink& sink) {
    CURL* const curl = handle_->curl;
    Transfer transfer{curl, sink, handle_->stop, {}, 0, nullptr};
    std::unique_ptr<curl_slist, void (*)(curl_slist*)> headers(nullptr, curl_slist_free_all);
    auto add = [&](const std::string& line) {
        curl_slist* const longer = curl_slist_append(headers.get(), line.c_str());
        if (!longer) throw Error("out of memory");
        headers.release();
        headers.reset(longer);
    };
    for (const std::string& line : request.headers) add(line);
    if (request.from > 0) add("Range: bytes=" + std::to_string(request.from) + "-");
    curl_easy_setopt(curl, CURLOPT_URL, request.url.c_str());
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers.get());
    curl_easy_setopt(curl, CURLOPT_HTTPGET, 1L);  // resets CURLOPT_NOBODY
    curl_easy_setopt(curl, CURLOPT_NOBODY, request.head ? 1L : 0L);
    curl_easy_setopt(curl, CURLOPT_HEADERDATA, &transfer);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, &transfer);
    curl_easy_setopt(curl, CURLOPT_XFERINFODATA, &transfer);

    const CURLcode result = curl_easy_perform(curl);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, nullptr);
    if (transfer.thrown) std::rethrow_exception(transfer.thrown);
    if (handle_->stop.stop_requested()) throw Error("stopped");
    if (result != CURLE_OK) {
        const bool offline =
            result == CURLE_COULDNT_RESOLVE_HOST || result == CURLE_COULDNT_CONNECT;
        const std::string problem = in_quotes(request.url) + ": " + curl_easy_strerror(result) +
                                    (offline ? "; check the network" : "");
        if (result == CURLE_URL_MALFORMAT || result == CURLE_UNSUPPORTED_PROTOCOL)
            throw Error(problem);
        throw TransientError(problem);
    }
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &transfer.response.status);
    char* location = nullptr;
    curl_easy_getinfo(curl, CURLINFO_REDIRECT_URL, &location);
    if (location) transfer.response.location = location;
    return std::move(transfer.response);
}

}  // namespace saccade
