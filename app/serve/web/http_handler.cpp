#include "app/serve/web/http_handler.h"

#include <libwebsockets.h>

#include <algorithm>

#include "app/serve/metrics.h"
#include "app/serve/page/lecture/class_page.h"
#include "app/serve/page/wall/wall_page.h"

namespace saccade {

namespace {

using Clock = std::chrono::steady_clock;
using Kind = Connection::Kind;

constexpr double comment_seconds = 15;  // without an event, until a listener gets a comment
constexpr size_t most_events = 64;      // queued for a listener
constexpr size_t piece = 1 << 18;       // bytes of a large body that are written at once

// A lecture's own policy, in the page, names its styles and scripts by their hashes; both hold.
constexpr const char* lecture_policy =
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'self'";

// An argument of the request's address; none if it is not there.
std::optional<std::string> argument(lws* wsi, const char* name) {
    char text[512];
    const char* const value = lws_get_urlarg_by_name(wsi, name, text, sizeof text);
    if (!value) return {};
    return *value == '=' ? value + 1 : value;
}

}  // namespace

HttpHandler::HttpHandler(const ServerOptions& options, const ServerLimits& limits,
                         AccessControl& access, Connections& connections, Exchanges& exchanges)
    : limits_(limits),
      stale_seconds_(options.stale_seconds),
      sources_(options.sources),
      classroom_(options.classroom),
      page_(live_page(options.title)),
      wall_page_(wall_page(options.title)),
      class_page_(class_page(options.title)),
      access_(access),
      connections_(connections),
      exchanges_(exchanges) {}

std::optional<size_t> HttpHandler::source_of(lws* wsi) const {
    const std::optional<std::string> name = argument(wsi, "source");
    if (!name) return 0;
    const auto found = std::ranges::find(sources_, *name);
    if (found == sources_.end()) return {};
    return size_t(found - sources_.begin());
}

bool HttpHandler::joins_class(lws* wsi) const {
    return classroom_ && argument(wsi, "class").has_value();
}

int HttpHandler::begin(lws* wsi, const std::string& path) {
    Connection& c = connections_.of(wsi);
    c.headers_sent = false;
    c.head = lws_hdr_total_length(wsi, WSI_TOKEN_HEAD_URI) > 0;
    c.become(Kind::responding);
    using Access = AccessControl::Access;
    const bool check = path == "/healthz" || path == "/livez";
    if (std::optional<Response> refused =
            access_.refusal(wsi, c, check ? Access::everybody : Access::with_token))
        c.response = std::move(*refused);
    else if (!c.head && lws_hdr_total_length(wsi, WSI_TOKEN_GET_URI) <= 0)
        c.response = {.status = 405,
                      .body = "only GET and HEAD\n",
                      .header = "allow:",
                      .header_value = "GET, HEAD"};
    else
        route(wsi, c, path);
    if (c.response.status >= 400 && c.kind == Kind::responding) ++connections_.refused;
    lws_set_timeout(wsi, NO_PENDING_TIMEOUT, 0);  // from here on, tick() times the connection out
    if (c.kind != Kind::waiting) lws_callback_on_writable(wsi);
    return 0;
}

void HttpHandler::route(lws* wsi, Connection& c, const std::string& path) {
    const std::optional<size_t> source = source_of(wsi);
    if (!source) {
        c.response = {.status = 404, .body = "no such source\n"};
        return;
    }
    c.source = *source;
    if (path == "/") {
        const bool wall = !sources_.empty() && !argument(wsi, "source");
        const LivePage& page = wall ? wall_page_ : page_;
        c.response = {.type = "text/html; charset=utf-8", .body = page.html, .policy = page.policy};
        if (std::optional<Response> moved = access_.token_redirect(wsi))
            c.response = std::move(*moved);
    } else if (path == "/lecture" && classroom_) {
        c.response = {.type = "text/html; charset=utf-8",
                      .body = class_page_.html,
                      .policy = class_page_.policy};
        if (std::optional<Response> moved = access_.token_redirect(wsi)) {
            c.response = std::move(*moved);
            c.response.location = path;
        }
    } else if (path == "/lecture/page") {
        c.response = lecture(c);
    } else if (path == "/frame.jpg" || path == "/frame.json") {
        c.wants_line = path == "/frame.json";
        c.wants_small = argument(wsi, "small").has_value();
        c.after = connections_.before_newest(c);
        connections_.note_look(c);
        c.become(Kind::waiting);
        if (!respond_with_frame(wsi, c)) connections_.update_demand();
    } else if (path == "/events") {
        listen(wsi, c);
    } else if (path == "/sources.json") {
        c.response = {.type = "application/json", .body = briefs()};
    } else if (path == "/metrics") {
        c.response = {.type = "text/plain; version=0.0.4; charset=utf-8", .body = metrics()};
    } else if (path == "/healthz") {
        c.response = health();
    } else if (path == "/livez") {
        c.response = {.body = "ok\n"};
    } else {
        c.response = {.status = 404, .body = "no such address\n"};
    }
}

Response HttpHandler::lecture(const Connection& c) const {
    std::shared_ptr<const std::string> page = connections_.exchange_of(c).lecture().page;
    if (!page)
        return {.status = 404,
                .body = "there is no lecture yet: press 'Lecture' on the page of the picture\n"};
    return {.type = "text/html; charset=utf-8", .policy = lecture_policy, .large = std::move(page)};
}

void HttpHandler::listen(lws* wsi, Connection& c) {
    if (connections_.count(Kind::listener) >= limits_.listeners) {
        c.response = {.status = 503, .body = "there are too many listeners\n"};
        return;
    }
    c.all_sources = !argument(wsi, "source").has_value();
    c.response = {.type = "text/event-stream"};
    c.become(Kind::listener);
    connections_.update_demand();
}

// A wall is well while one of its sources is: a camera may be off, and the metrics say which.
Response HttpHandler::health() const {
    size_t good = 0;
    std::string line;
    for (const auto& exchange : exchanges_) {
        const Health health = exchange->health(stale_seconds_);
        if (health.good) ++good;
        if (line.empty() || good == 1) line = health.line;
    }
    if (exchanges_.size() > 1)
        line = (good > 0 ? "ok: " : "none is well: ") + std::to_string(good) + " of " +
               std::to_string(exchanges_.size()) + " sources give frames";
    return {.status = good > 0 ? 200u : 503u, .body = line + "\n"};
}

std::string HttpHandler::briefs() const {
    std::string all;
    for (const auto& exchange : exchanges_)
        all += (all.empty() ? "[" : ",\n ") + exchange->told().brief;
    return all + "]\n";
}

bool HttpHandler::respond_with_frame(lws* wsi, Connection& c) {
    const std::shared_ptr<const ServedFrame> frame = connections_.exchange_of(c).picture();
    const std::vector<uint8_t>* picture = nullptr;
    if (frame && frame->number > c.after) picture = c.wants_small ? &frame->small : &frame->jpeg;
    if (picture && (c.wants_line || !picture->empty())) {
        if (c.wants_line)
            c.response = {.type = "application/json", .body = frame->line + "\n"};
        else
            c.response = {.type = "image/jpeg", .body = {picture->begin(), picture->end()}};
    } else if (c.seconds(Clock::now()) > limits_.picture_seconds) {
        c.response = {.status = 503, .body = "there is no picture yet\n"};
    } else {
        return false;
    }
    c.become(Kind::responding);
    lws_callback_on_writable(wsi);
    return true;
}

int HttpHandler::write(lws* wsi) {
    Connection& c = connections_.of(wsi);
    if (c.kind != Kind::responding && c.kind != Kind::listener) return 0;
    if (!c.headers_sent) {
        if (write_headers(wsi, c) != 0) return -1;
        c.headers_sent = true;
        if (c.kind == Kind::listener || !(c.head || c.response.size() == 0)) {
            lws_callback_on_writable(wsi);
            return 0;
        }
        return end_response(wsi, c);
    }
    if (c.kind == Kind::listener) return write_event(wsi, c);
    if (c.response.large) return write_piece(wsi, c);
    send_.assign(LWS_PRE, 0);
    send_.insert(send_.end(), c.response.body.begin(), c.response.body.end());
    const size_t length = c.response.body.size();
    c.response.body = {};
    if (lws_write(wsi, send_.data() + LWS_PRE, length, LWS_WRITE_HTTP_FINAL) < int(length))
        return -1;
    return end_response(wsi, c);
}

// The memory of many slow clients stays small, and a client that reads has time.
int HttpHandler::write_piece(lws* wsi, Connection& c) {
    const std::string& body = *c.response.large;
    const size_t length = std::min(piece, body.size() - c.response.sent);
    send_.assign(LWS_PRE, 0);
    send_.insert(send_.end(), body.data() + c.response.sent,
                 body.data() + c.response.sent + length);
    c.response.sent += length;
    const bool last = c.response.sent == body.size();
    if (lws_write(wsi, send_.data() + LWS_PRE, length,
                  last ? LWS_WRITE_HTTP_FINAL : LWS_WRITE_HTTP) < int(length))
        return -1;
    if (last) return end_response(wsi, c);
    c.become(Kind::responding);  // restarts its timeout
    lws_callback_on_writable(wsi);
    return 0;
}

int HttpHandler::end_response(lws* wsi, Connection& c) {
    const bool close = c.response.close;
    c.response = {};
    c.become(Kind::idle);
    if (close) return -1;
    return lws_http_transaction_completed(wsi) != 0 ? -1 : 0;
}

int HttpHandler::write_headers(lws* wsi, const Connection& c) const {
    unsigned char buffer[LWS_PRE + 4096];
    unsigned char *begin = buffer + LWS_PRE, *at = begin, *end = buffer + sizeof buffer - 1;
    const auto add = [&](const char* name, const std::string& value) {
        return lws_add_http_header_by_name(wsi, reinterpret_cast<const unsigned char*>(name),
                                           reinterpret_cast<const unsigned char*>(value.data()),
                                           int(value.size()), &at, end) == 0;
    };
    bool fits = lws_add_http_header_status(wsi, c.response.status, &at, end) == 0 &&
                add("content-type:", c.response.type) && add("cache-control:", "no-store") &&
                add("content-security-policy:",
                    c.response.policy.empty() ? page_.policy : c.response.policy) &&
                add("x-content-type-options:", "nosniff") &&
                add("referrer-policy:", "no-referrer") &&
                add("cross-origin-resource-policy:", "same-origin") &&
                add("cross-origin-opener-policy:", "same-origin");
    if (c.response.status == 303) fits = fits && add("location:", c.response.location);
    if (!c.response.header.empty())
        fits = fits && add(c.response.header.c_str(), c.response.header_value);
    if (c.kind == Kind::listener || c.response.close) fits = fits && add("connection:", "close");
    if (c.kind != Kind::listener)
        fits = fits && lws_add_http_header_content_length(wsi, c.response.size(), &at, end) == 0;
    return fits && lws_finalize_write_http_header(wsi, begin, &at, end) == 0 ? 0 : -1;
}

void HttpHandler::add_events(lws* wsi, Connection& c, const std::vector<std::string>& events) {
    for (const std::string& event : events) {
        if (c.events.size() == most_events) c.events.pop_front();
        c.events.push_back(event);
    }
    if (!events.empty()) lws_callback_on_writable(wsi);
}

int HttpHandler::write_event(lws* wsi, Connection& c) {
    if (c.events.empty()) return 0;
    const std::string event = std::move(c.events.front());
    c.events.pop_front();
    c.become(Kind::listener);  // restarts its timeout
    send_.assign(LWS_PRE, 0);
    send_.insert(send_.end(), event.begin(), event.end());
    if (lws_write(wsi, send_.data() + LWS_PRE, event.size(), LWS_WRITE_HTTP) < int(event.size()))
        return -1;
    if (!c.events.empty()) lws_callback_on_writable(wsi);
    return 0;
}

void HttpHandler::keep_alive(lws* wsi, Connection& c, double seconds) const {
    if (seconds <= comment_seconds) return;
    if (seconds > comment_seconds + limits_.response_seconds) Connections::close(wsi, c);
    if (c.events.empty()) c.events.emplace_back(": keep-alive\n\n");
    lws_callback_on_writable(wsi);
}

std::string HttpHandler::metrics() const {
    Exchange::Counts counts;
    Metrics::Labelled ages;
    std::vector<std::string> of_sources;
    for (size_t i = 0; i < exchanges_.size(); ++i) {
        const Exchange::Counts one = exchanges_[i]->counts();
        counts.encoded += one.encoded;
        counts.bytes += one.bytes;
        counts.encode_seconds += one.encode_seconds;
        ages.emplace_back(sources_.empty() ? "" : sources_[i],
                          exchanges_[i]->pulse().age(Clock::now()));
        of_sources.push_back(exchanges_[i]->told().metrics);
    }
    Metrics own;
    const char* const age = "Time since the newest frame was captured";
    if (sources_.empty())
        own.add("saccade_frame_age_seconds", "gauge", age, ages.front().second);
    else
        own.add("saccade_frame_age_seconds", "gauge", age, "source", ages);
    own.add("saccade_viewers", "gauge", "Open pages", double(connections_.count(Kind::viewer)));
    own.add("saccade_listeners", "gauge", "Connections to /events",
            double(connections_.count(Kind::listener)));
    own.add("saccade_connections", "gauge", "Open connections", double(connections_.count_open()));
    own.add("saccade_refused_total", "counter", "Refused connections and requests",
            double(connections_.refused));
    own.add("saccade_pictures_total", "counter", "Encoded pictures", double(counts.encoded));
    own.add("saccade_picture_bytes_total", "counter", "Bytes of the encoded pictures",
            double(counts.bytes));
    own.add("saccade_encode_seconds_total", "counter", "Time spent on encoding pictures",
            counts.encode_seconds);
    own.add("saccade_sent_total", "counter", "Pictures sent to viewers",
            double(connections_.pictures_sent));
    return merged_metrics(of_sources) + own.text();
}

}  // namespace saccade
