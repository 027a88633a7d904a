#include "app/serve/web/http_handler.h"

#include <libwebsockets.h>

#include "app/serve/metrics.h"

namespace saccade {

namespace {

using Clock = std::chrono::steady_clock;
using Kind = Connection::Kind;

constexpr double comment_seconds = 15;  // without an event, until a listener gets a comment
constexpr size_t most_events = 64;      // queued for a listener

}  // namespace

HttpHandler::HttpHandler(const ServerOptions& options, const ServerLimits& limits,
                         AccessControl& access, Connections& connections, Exchange& exchange)
    : limits_(limits),
      page_(live_page(options.title)),
      access_(access),
      connections_(connections),
      exchange_(exchange) {}

int HttpHandler::begin(lws* wsi, const std::string& path) {
    Connection& c = connections_.of(wsi);
    c.headers_sent = false;
    c.head = lws_hdr_total_length(wsi, WSI_TOKEN_HEAD_URI) > 0;
    c.become(Kind::responding);
    if (!c.head && lws_hdr_total_length(wsi, WSI_TOKEN_GET_URI) <= 0)
        c.response = {.status = 405,
                      .body = "only GET and HEAD\n",
                      .header = "allow:",
                      .header_value = "GET, HEAD"};
    else if (std::optional<Response> refused = access_.refusal(wsi, path != "/healthz"))
        c.response = std::move(*refused);
    else
        route(wsi, c, path);
    if (c.response.status >= 400 && c.kind == Kind::responding) ++connections_.refused;
    lws_set_timeout(wsi, NO_PENDING_TIMEOUT, 0);  // from here on, tick() times the connection out
    if (c.kind != Kind::waiting) lws_callback_on_writable(wsi);
    return 0;
}

void HttpHandler::route(lws* wsi, Connection& c, const std::string& path) {
    if (path == "/") {
        c.response = {.type = "text/html; charset=utf-8", .body = page_.html};
        if (std::optional<Response> moved = access_.token_redirect(wsi))
            c.response = std::move(*moved);
    } else if (path == "/frame.jpg" || path == "/frame.json") {
        c.wants_line = path == "/frame.json";
        c.after = connections_.before_newest();
        connections_.note_look();
        c.become(Kind::waiting);
        if (!respond_with_frame(wsi, c)) connections_.update_demand();
    } else if (path == "/events") {
        listen(c);
    } else if (path == "/metrics") {
        c.response = {.type = "text/plain; version=0.0.4; charset=utf-8", .body = metrics()};
    } else if (path == "/healthz") {
        c.response = health();
    } else {
        c.response = {.status = 404, .body = "no such address\n"};
    }
}

void HttpHandler::listen(Connection& c) {
    if (connections_.count(Kind::listener) >= limits_.listeners) {
        c.response = {.status = 503, .body = "there are too many listeners\n"};
        return;
    }
    c.response = {.type = "text/event-stream"};
    c.become(Kind::listener);
    connections_.update_demand();
}

Response HttpHandler::health() const {
    const double seconds = exchange_.seconds_since_beat();
    if (seconds <= 10) return {.body = "ok\n"};
    return {.status = 503, .body = "no heartbeat for " + std::to_string(int(seconds)) + " s\n"};
}

bool HttpHandler::respond_with_frame(lws* wsi, Connection& c) {
    const std::shared_ptr<const ServedFrame> frame = exchange_.picture();
    if (frame && frame->number > c.after) {
        if (c.wants_line)
            c.response = {.type = "application/json", .body = frame->line + "\n"};
        else
            c.response = {.type = "image/jpeg",
                          .body = std::string(frame->jpeg.begin(), frame->jpeg.end())};
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
        if (c.kind == Kind::listener || !(c.head || c.response.body.empty())) {
            lws_callback_on_writable(wsi);
            return 0;
        }
        return end_response(wsi, c);
    }
    if (c.kind == Kind::listener) return write_event(wsi, c);
    send_.assign(LWS_PRE, 0);
    send_.insert(send_.end(), c.response.body.begin(), c.response.body.end());
    const size_t length = c.response.body.size();
    c.response.body = {};
    if (lws_write(wsi, send_.data() + LWS_PRE, length, LWS_WRITE_HTTP_FINAL) < int(length))
        return -1;
    return end_response(wsi, c);
}

int HttpHandler::end_response(lws* wsi, Connection& c) {
    c.response = {};
    c.become(Kind::idle);
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
                add("content-security-policy:", page_.policy) &&
                add("x-content-type-options:", "nosniff") &&
                add("referrer-policy:", "no-referrer") &&
                add("cross-origin-resource-policy:", "same-origin") &&
                add("cross-origin-opener-policy:", "same-origin");
    if (c.response.status == 303) fits = fits && add("location:", "/");
    if (!c.response.header.empty())
        fits = fits && add(c.response.header.c_str(), c.response.header_value);
    if (c.kind == Kind::listener)
        fits = fits && add("connection:", "close");
    else
        fits =
            fits && lws_add_http_header_content_length(wsi, c.response.body.size(), &at, end) == 0;
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
    if (seconds > comment_seconds + limits_.response_seconds) Connections::close(wsi);
    if (c.events.empty()) c.events.emplace_back(": keep-alive\n\n");
    lws_callback_on_writable(wsi);
}

std::string HttpHandler::metrics() const {
    const Exchange::Counts counts = exchange_.counts();
    Metrics own;
    own.add("saccade_viewers", "gauge", "Open pages", double(connections_.count(Kind::viewer)));
    own.add("saccade_listeners", "gauge", "Connections to /events",
            double(connections_.count(Kind::listener)));
    own.add("saccade_connections", "gauge", "Open connections", double(connections_.count()));
    own.add("saccade_refused_total", "counter", "Refused connections and requests",
            double(connections_.refused));
    own.add("saccade_pictures_total", "counter", "Encoded pictures", double(counts.encoded));
    own.add("saccade_picture_bytes_total", "counter", "Bytes of the encoded pictures",
            double(counts.bytes));
    own.add("saccade_encode_seconds_total", "counter", "Time spent on encoding pictures",
            counts.encode_seconds);
    own.add("saccade_sent_total", "counter", "Pictures sent to viewers",
            double(connections_.pictures_sent));
    return exchange_.told().metrics + own.text();
}

}  // namespace saccade
