#include "app/serve/web/requests.h"

#include <libwebsockets.h>

#include "app/serve/metrics.h"

namespace saccade {

namespace {

using Clock = std::chrono::steady_clock;
using Kind = Connection::Kind;

constexpr double comment_seconds = 15;  // a listener who hears nothing hears that
constexpr size_t most_events = 64;      // that wait for a listener

}  // namespace

Requests::Requests(const ServerOptions& options, const ServerLimits& limits, Reception& reception,
                   Connections& connections, Exchange& exchange)
    : limits_(limits),
      page_(live_page(options.title)),
      reception_(reception),
      connections_(connections),
      exchange_(exchange) {}

int Requests::begin(lws* wsi, const std::string& path) {
    Connection& c = connections_.of(wsi);
    c.begun = false;
    c.head = lws_hdr_total_length(wsi, WSI_TOKEN_HEAD_URI) > 0;
    c.become(Kind::answering);
    if (!c.head && lws_hdr_total_length(wsi, WSI_TOKEN_GET_URI) <= 0)
        c.answer = {.status = 405, .body = "only GET\n", .name = "allow:", .value = "GET, HEAD"};
    else if (std::optional<Answer> no = reception_.refusal(wsi, path != "/healthz"))
        c.answer = std::move(*no);
    else
        route(wsi, c, path);
    if (c.answer.status >= 400 && c.kind == Kind::answering) ++connections_.refused;
    lws_set_timeout(wsi, NO_PENDING_TIMEOUT, 0);  // ours go on from here
    if (c.kind != Kind::waiting) lws_callback_on_writable(wsi);
    return 0;
}

void Requests::route(lws* wsi, Connection& c, const std::string& path) {
    if (path == "/") {
        c.answer = {.type = "text/html; charset=utf-8", .body = page_.html};
        if (std::optional<Answer> moved = reception_.token_into_cookie(wsi))
            c.answer = std::move(*moved);
    } else if (path == "/frame.jpg" || path == "/frame.json") {
        c.wants_line = path == "/frame.json";
        c.after = connections_.before_newest();
        connections_.note_look();
        c.become(Kind::waiting);
        if (!answer_with_frame(wsi, c)) connections_.tell_demand();
    } else if (path == "/events") {
        if (connections_.count(Kind::listener) >= limits_.listeners) {
            c.answer = {.status = 503, .body = "there are too many listeners\n"};
            return;
        }
        c.answer = {.type = "text/event-stream"};
        c.become(Kind::listener);
        connections_.tell_demand();
    } else if (path == "/metrics") {
        c.answer = {.type = "text/plain; version=0.0.4; charset=utf-8", .body = metrics()};
    } else if (path == "/healthz") {
        const double seconds = exchange_.seconds_since_beat();
        c.answer = {.body = "ok\n"};
        if (seconds > 10)
            c.answer = {.status = 503,
                        .body = "no sign of life for " + std::to_string(int(seconds)) + " s\n"};
    } else {
        c.answer = {.status = 404, .body = "there is nothing here\n"};
    }
}

bool Requests::answer_with_frame(lws* wsi, Connection& c) {
    const std::shared_ptr<const ServedFrame> frame = exchange_.picture();
    if (frame && frame->number > c.after) {
        if (c.wants_line)
            c.answer = {.type = "application/json", .body = frame->line + "\n"};
        else
            c.answer = {.type = "image/jpeg",
                        .body = std::string(frame->jpeg.begin(), frame->jpeg.end())};
    } else if (c.seconds(Clock::now()) > limits_.picture_seconds) {
        c.answer = {.status = 503, .body = "there is no picture yet\n"};
    } else {
        return false;
    }
    c.become(Kind::answering);
    lws_callback_on_writable(wsi);
    return true;
}

int Requests::write(lws* wsi) {
    Connection& c = connections_.of(wsi);
    if (c.kind != Kind::answering && c.kind != Kind::listener) return 0;
    if (!c.begun) {
        if (write_headers(wsi, c) != 0) return -1;
        c.begun = true;
        if (c.kind == Kind::listener || !(c.head || c.answer.body.empty())) {
            lws_callback_on_writable(wsi);
            return 0;
        }
        return end_answer(wsi, c);
    }
    if (c.kind == Kind::listener) return write_event(wsi, c);
    send_.assign(LWS_PRE, 0);
    send_.insert(send_.end(), c.answer.body.begin(), c.answer.body.end());
    const size_t length = c.answer.body.size();
    c.answer.body = {};
    if (lws_write(wsi, send_.data() + LWS_PRE, length, LWS_WRITE_HTTP_FINAL) < int(length))
        return -1;
    return end_answer(wsi, c);
}

int Requests::end_answer(lws* wsi, Connection& c) {
    c.answer = {};
    c.become(Kind::idle);
    return lws_http_transaction_completed(wsi) != 0 ? -1 : 0;
}

int Requests::write_headers(lws* wsi, const Connection& c) const {
    unsigned char buffer[LWS_PRE + 4096];
    unsigned char *begin = buffer + LWS_PRE, *at = begin, *end = buffer + sizeof buffer - 1;
    const auto add = [&](const char* name, const std::string& value) {
        return lws_add_http_header_by_name(wsi, reinterpret_cast<const unsigned char*>(name),
                                           reinterpret_cast<const unsigned char*>(value.data()),
                                           int(value.size()), &at, end) == 0;
    };
    bool fits = lws_add_http_header_status(wsi, c.answer.status, &at, end) == 0 &&
                add("content-type:", c.answer.type) && add("cache-control:", "no-store") &&
                add("content-security-policy:", page_.policy) &&
                add("x-content-type-options:", "nosniff") &&
                add("referrer-policy:", "no-referrer") &&
                add("cross-origin-resource-policy:", "same-origin") &&
                add("cross-origin-opener-policy:", "same-origin");
    if (c.answer.status == 303) fits = fits && add("location:", "/");
    if (!c.answer.name.empty()) fits = fits && add(c.answer.name.c_str(), c.answer.value);
    if (c.kind == Kind::listener)
        fits = fits && add("connection:", "close");
    else
        fits =
            fits && lws_add_http_header_content_length(wsi, c.answer.body.size(), &at, end) == 0;
    return fits && lws_finalize_write_http_header(wsi, begin, &at, end) == 0 ? 0 : -1;
}

void Requests::tell(lws* wsi, Connection& c, const std::vector<std::string>& events) {
    for (const std::string& event : events) {
        if (c.events.size() == most_events) c.events.pop_front();
        c.events.push_back(event);
    }
    if (!events.empty()) lws_callback_on_writable(wsi);
}

int Requests::write_event(lws* wsi, Connection& c) {
    if (c.events.empty()) return 0;
    const std::string event = std::move(c.events.front());
    c.events.pop_front();
    c.become(Kind::listener);  // it listens
    send_.assign(LWS_PRE, 0);
    send_.insert(send_.end(), event.begin(), event.end());
    if (lws_write(wsi, send_.data() + LWS_PRE, event.size(), LWS_WRITE_HTTP) < int(event.size()))
        return -1;
    if (!c.events.empty()) lws_callback_on_writable(wsi);
    return 0;
}

void Requests::keep_listening(lws* wsi, Connection& c, double seconds) const {
    if (seconds <= comment_seconds) return;
    // Every line that it takes begins its time anew.
    if (seconds > comment_seconds + limits_.answer_seconds) Connections::close(wsi);
    if (c.events.empty()) c.events.emplace_back(": still here\n\n");
    lws_callback_on_writable(wsi);
}

std::string Requests::metrics() const {
    const Exchange::Counts counts = exchange_.counts();
    Metrics own;
    own.add("saccade_viewers", "gauge", "Pages that watch",
            double(connections_.count(Kind::viewer)));
    own.add("saccade_listeners", "gauge", "Who listens to /events",
            double(connections_.count(Kind::listener)));
    own.add("saccade_connections", "gauge", "Open connections", double(connections_.count()));
    own.add("saccade_refused_total", "counter", "Connections and requests that were refused",
            double(connections_.refused));
    own.add("saccade_pictures_total", "counter", "Pictures that were encoded",
            double(counts.encoded));
    own.add("saccade_picture_bytes_total", "counter", "Their bytes", double(counts.bytes));
    own.add("saccade_encode_seconds_total", "counter", "Time that encoding them took",
            counts.encode_seconds);
    own.add("saccade_sent_total", "counter", "Pictures that were sent to viewers",
            double(connections_.sent));
    return exchange_.told().metrics + own.text();
}

}  // namespace saccade
