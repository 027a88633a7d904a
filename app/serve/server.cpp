#include "app/serve/server.h"

#include <arpa/inet.h>
#include <libwebsockets.h>
#include <netinet/in.h>
#include <spdlog/spdlog.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <span>

#include "app/serve/connection.h"
#include "app/serve/live_page.h"
#include "app/serve/metrics.h"
#include "app/serve/picture_message.h"
#include "gpu/core/error.h"

namespace saccade {

namespace {

using Clock = std::chrono::steady_clock;
using Kind = Connection::Kind;

constexpr lws_usec_t tick_us = 100'000;
constexpr double told_seconds = 0.25;   // between two messages about how things are
constexpr double watched_seconds = 5;   // pictures are read back for that long after the last look
constexpr double comment_seconds = 15;  // a listener who hears nothing hears that
constexpr size_t most_events = 64;      // that wait for a listener
constexpr size_t most_looks = 16;       // whose maps are computed for a frame
constexpr size_t most_peers = 4096;     // whose rates are remembered

// A port that is taken is said in the system's words; libwebsockets keeps them to itself.
void require_free(const ServeAddress& address) {
    const bool six = address.host.find(':') != address.host.npos;
    sockaddr_storage storage{};
    socklen_t length;
    if (six) {
        auto& to = reinterpret_cast<sockaddr_in6&>(storage);
        to.sin6_family = AF_INET6;
        to.sin6_port = htons(address.port);
        ::inet_pton(AF_INET6, address.host.c_str(), &to.sin6_addr);
        length = sizeof to;
    } else {
        auto& to = reinterpret_cast<sockaddr_in&>(storage);
        to.sin_family = AF_INET;
        to.sin_port = htons(address.port);
        ::inet_pton(AF_INET, address.host.c_str(), &to.sin_addr);
        length = sizeof to;
    }
    const int socket = ::socket(six ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int one = 1;
    ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    const bool bound = ::bind(socket, reinterpret_cast<sockaddr*>(&storage), length) == 0 &&
                       ::listen(socket, 1) == 0;
    const std::string why = std::strerror(errno);
    ::close(socket);
    if (!bound)
        throw Error("--serve cannot listen on " + host_and_port(address.host, address.port) + ": " +
                    why + "; choose another port or address");
}

std::string header(lws* wsi, lws_token_indexes token) {
    std::string text(size_t(lws_hdr_total_length(wsi, token)) + 1, '\0');
    const int length = lws_hdr_copy(wsi, text.data(), int(text.size()), token);
    text.resize(size_t(std::max(length, 0)));
    return text;
}

std::string argument(lws* wsi, const char* name) {
    char text[512];
    const char* value = lws_get_urlarg_by_name(wsi, name, text, sizeof text);
    return value ? value : "";
}

std::string cookie(lws* wsi, const std::string& name) {
    const std::string all = header(wsi, WSI_TOKEN_HTTP_COOKIE);
    for (size_t at = 0; at < all.size();) {
        const size_t end = std::min(all.find(';', at), all.size());
        std::string_view one = std::string_view(all).substr(at, end - at);
        while (one.starts_with(' ')) one.remove_prefix(1);
        if (one.starts_with(name + "=")) return std::string(one.substr(name.size() + 1));
        at = end + 1;
    }
    return "";
}

}  // namespace

// All that libwebsockets calls, it calls on the one thread that serves.
class Server::Thread {
public:
    Thread(const ServerOptions& options, const ServerLimits& limits)
        : options_(options),
          limits_(limits),
          door_(options.address, options.origin,
                options.address.loopback() && options.origin.empty() ? "" : make_token()),
          page_(live_page(options.title)),
          exchange_([this] { wake(); }) {
        if (options.address.port != 0) require_free(options.address);
        open();
        thread_ = std::jthread([this](const std::stop_token& stop) {
            while (!stop.stop_requested() && lws_service(context_, 0) >= 0) {
            }
        });
    }
    ~Thread() {
        thread_.request_stop();
        lws_cancel_service(context_);
        thread_.join();
        exchange_.stop();  // nobody wakes us any more
        lws_context_destroy(context_);
    }

    std::string address() const {
        const std::string base = options_.origin.empty()
                                     ? "http://" + host_and_port(door_.name(), port_)
                                     : options_.origin;
        return base + "/" + (door_.locked() ? "?token=" + door_.token() : "");
    }
    uint16_t port() const { return port_; }
    bool read_only() const { return options_.read_only; }
    Exchange& exchange() { return exchange_; }

private:
    void open() {
        lws_set_log_level(LLL_ERR | LLL_WARN,
                          [](int, const char* line) { spdlog::debug("libwebsockets: {}", line); });
        protocols_[0] = {"http", callback, 0, longest_message, 0, nullptr, 0};
        protocols_[1] = {"saccade", callback, 0, longest_message, 1, nullptr, 0};
        protocols_[2] = {};
        alive_.secs_since_valid_ping = 15;
        alive_.secs_since_valid_hangup = 35;
        lws_context_creation_info info{};
        info.port = options_.address.port;
        info.iface = options_.address.host.c_str();
        info.protocols = protocols_;
        info.user = this;
        info.gid = gid_t(-1);
        info.uid = uid_t(-1);
        info.options = LWS_SERVER_OPTION_VALIDATE_UTF8 | LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND;
        if (options_.address.host.find(':') == std::string::npos)
            info.options |= LWS_SERVER_OPTION_DISABLE_IPV6;
        info.max_http_header_data = 8192;
        info.max_http_header_pool2 = unsigned(limits_.connections);
        // The listening socket, the pipe that wakes us, and what the loop has open beside.
        info.fd_limit_per_thread = unsigned(limits_.connections) + 16;
        info.timeout_secs = unsigned(limits_.header_seconds);
        info.keepalive_timeout = int(limits_.idle_seconds);
        info.server_string = "saccade";
        info.retry_and_idle_policy = &alive_;
        context_ = lws_create_context(&info);
        if (!context_)
            throw Error("--serve cannot listen on " +
                        host_and_port(options_.address.host, options_.address.port) +
                        "; choose another port or address");
        port_ = uint16_t(lws_get_vhost_listen_port(lws_get_vhost_by_name(context_, "default")));
        schedule_tick();
    }

    void wake() {
        if (context_) lws_cancel_service(context_);
    }

    void schedule_tick() {
        tick_.self = this;
        lws_sul_schedule(
            context_, 0, &tick_.list,
            [](lws_sorted_usec_list_t* list) {
                Thread& self = *lws_container_of(list, Tick, list)->self;
                self.tick();
                self.schedule_tick();
            },
            tick_us);
    }

    static int callback(lws* wsi, lws_callback_reasons reason, void*, void* in, size_t length) {
        if (!wsi) return 0;
        auto* self = static_cast<Thread*>(lws_context_user(lws_get_context(wsi)));
        if (!self) return 0;
        try {
            return self->on(wsi, reason, static_cast<const char*>(in), length);
        } catch (const std::exception& error) {
            spdlog::error("a viewer's connection was closed: {}", error.what());
            return -1;
        }
    }

    int on(lws* wsi, lws_callback_reasons reason, const char* in, size_t length) {
        switch (reason) {
            case LWS_CALLBACK_FILTER_NETWORK_CONNECTION:
                return make_room() ? 0 : 1;
            case LWS_CALLBACK_SERVER_NEW_CLIENT_INSTANTIATED:
                connection(wsi);
                return 0;
            case LWS_CALLBACK_WSI_DESTROY:
                return forget(wsi);
            case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE:
                // Nothing but WebSockets, and not HTTP/2 by the back door.
                return std::string_view(in) == "websocket" ? 0 : -1;
            case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
                return may_view(wsi) ? 0 : -1;
            case LWS_CALLBACK_HTTP:
                return begin_request(wsi, std::string(in, length));
            case LWS_CALLBACK_HTTP_BODY:
                return -1;  // nobody has been asked for one
            case LWS_CALLBACK_HTTP_WRITEABLE:
                return write_http(wsi);
            case LWS_CALLBACK_ESTABLISHED:
                return begin_viewer(wsi);
            case LWS_CALLBACK_RECEIVE:
                return receive(wsi, in, length);
            case LWS_CALLBACK_SERVER_WRITEABLE:
                return write_viewer(wsi);
            case LWS_CALLBACK_EVENT_WAIT_CANCELLED:
                return take_news();
            default:
                return 0;
        }
    }

    // ---- connections --------------------------------------------------------------------------

    Connection& connection(lws* wsi) {
        return connections_.try_emplace(wsi, limits_.messages_a_second).first->second;
    }
    int forget(lws* wsi) {
        const auto found = connections_.find(wsi);
        if (found == connections_.end()) return 0;
        const Kind kind = found->second.kind;
        connections_.erase(found);
        if (kind == Kind::viewer) ++people_;
        if (kind != Kind::silent) demand();
        return 0;
    }
    static void close(lws* wsi) {
        lws_set_timeout(wsi, PENDING_TIMEOUT_USER_REASON_BASE, LWS_TO_KILL_ASYNC);
    }
    size_t count(Kind kind) const {
        return size_t(std::ranges::count_if(
            connections_, [&](const auto& one) { return one.second.kind == kind; }));
    }
    // Who connects and says nothing gives way to who connects later.
    bool make_room() {
        const auto quiet = [](Kind kind) { return kind == Kind::silent || kind == Kind::idle; };
        if (count(Kind::silent) + count(Kind::idle) >= limits_.silent) {
            auto oldest = connections_.end();
            for (auto it = connections_.begin(); it != connections_.end(); ++it)
                if (quiet(it->second.kind) &&
                    (oldest == connections_.end() || it->second.since < oldest->second.since))
                    oldest = it;
            oldest->second.since = Clock::now();  // not twice
            close(oldest->first);
            ++refused_;
        }
        if (connections_.size() < limits_.connections) return true;
        ++refused_;
        return false;
    }

    // ---- who may come in ----------------------------------------------------------------------

    bool rate_is_fine(lws* wsi) {
        char peer[64] = "";
        lws_get_peer_simple(wsi, peer, sizeof peer);
        if (peers_.size() > most_peers) peers_.clear();
        return peers_.try_emplace(peer, limits_.requests_a_second).first->second.take(Clock::now());
    }
    std::string cookie_name() const { return "saccade-" + std::to_string(port_); }

    bool has_token(lws* wsi) const {
        if (!door_.locked()) return true;
        const std::string bearer = header(wsi, WSI_TOKEN_HTTP_AUTHORIZATION);
        return door_.opens_to(cookie(wsi, cookie_name())) ||
               door_.opens_to(argument(wsi, "token=")) ||
               (bearer.starts_with("Bearer ") && door_.opens_to(bearer.substr(7)));
    }
    // Why a request is refused, if it is.
    std::optional<Answer> refusal(lws* wsi, bool needs_token) {
        if (!rate_is_fine(wsi)) return Answer{.status = 429, .body = "too many requests\n"};
        const std::string host = header(wsi, WSI_TOKEN_HOST);
        if (!door_.knows_host(host))
            return Answer{
                .status = 421,
                .body =
                    "this host goes by another name: use its address in numbers, or start "
                    "saccade with --origin\n"};
        if (!door_.knows_origin(header(wsi, WSI_TOKEN_ORIGIN), host))
            return Answer{.status = 403, .body = "pages of others may not ask\n"};
        if (needs_token && !has_token(wsi))
            return Answer{.status = 401,
                          .body = "a token is needed: open the address that saccade has printed\n"};
        return std::nullopt;
    }
    bool may_view(lws* wsi) {
        std::optional<Answer> no = refusal(wsi, true);
        if (!no && header(wsi, WSI_TOKEN_PROTOCOL) != "saccade")
            no = Answer{.status = 400, .body = "the protocol is 'saccade'\n"};
        if (!no && count(Kind::viewer) >= limits_.viewers)
            no = Answer{.status = 503, .body = "there are too many viewers\n"};
        if (!no) return true;
        ++refused_;
        lws_return_http_status(wsi, no->status, nullptr);
        return false;
    }

    // ---- requests -----------------------------------------------------------------------------

    int begin_request(lws* wsi, const std::string& path) {
        Connection& c = connection(wsi);
        c.begun = false;
        c.head = lws_hdr_total_length(wsi, WSI_TOKEN_HEAD_URI) > 0;
        c.become(Kind::answering);
        if (!c.head && lws_hdr_total_length(wsi, WSI_TOKEN_GET_URI) <= 0)
            c.answer = {
                .status = 405, .body = "only GET\n", .name = "allow:", .value = "GET, HEAD"};
        else if (std::optional<Answer> no = refusal(wsi, path != "/healthz"))
            c.answer = std::move(*no);
        else
            route(wsi, c, path);
        if (c.answer.status >= 400 && c.kind == Kind::answering) ++refused_;
        lws_set_timeout(wsi, NO_PENDING_TIMEOUT, 0);  // ours go on from here
        if (c.kind != Kind::waiting) lws_callback_on_writable(wsi);
        return 0;
    }

    void route(lws* wsi, Connection& c, const std::string& path) {
        if (path == "/") {
            c.answer = {.type = "text/html; charset=utf-8", .body = page_.html};
            if (door_.locked() && !argument(wsi, "token=").empty()) {
                // The token goes from the address bar into a cookie.
                const bool secure = door_.origin().starts_with("https:");
                c.answer = {.status = 303,
                            .name = "set-cookie:",
                            .value = cookie_name() + "=" + door_.token() +
                                     "; Path=/; HttpOnly; SameSite=Lax" +
                                     (secure ? "; Secure" : "")};
            }
        } else if (path == "/frame.jpg" || path == "/frame.json") {
            c.wants_line = path == "/frame.json";
            c.after = before_newest();
            last_look_ = Clock::now();
            c.become(Kind::waiting);
            if (!answer_with_frame(wsi, c)) demand();
        } else if (path == "/events") {
            if (count(Kind::listener) >= limits_.listeners) {
                c.answer = {.status = 503, .body = "there are too many listeners\n"};
                return;
            }
            c.answer = {.type = "text/event-stream"};
            c.become(Kind::listener);
            demand();
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

    // Whether a frame is there that is as new as the request, or will not be any more.
    bool answer_with_frame(lws* wsi, Connection& c) {
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

    int write_http(lws* wsi) {
        Connection& c = connection(wsi);
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
    int end_answer(lws* wsi, Connection& c) {
        c.answer = {};
        c.become(Kind::idle);
        return lws_http_transaction_completed(wsi) != 0 ? -1 : 0;
    }

    int write_headers(lws* wsi, const Connection& c) {
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
            fits = fits &&
                   lws_add_http_header_content_length(wsi, c.answer.body.size(), &at, end) == 0;
        return fits && lws_finalize_write_http_header(wsi, begin, &at, end) == 0 ? 0 : -1;
    }

    int write_event(lws* wsi, Connection& c) {
        if (c.events.empty()) return 0;
        const std::string event = std::move(c.events.front());
        c.events.pop_front();
        c.become(Kind::listener);  // it listens
        send_.assign(LWS_PRE, 0);
        send_.insert(send_.end(), event.begin(), event.end());
        if (lws_write(wsi, send_.data() + LWS_PRE, event.size(), LWS_WRITE_HTTP) <
            int(event.size()))
            return -1;
        if (!c.events.empty()) lws_callback_on_writable(wsi);
        return 0;
    }

    std::string metrics() {
        const Exchange::Counts counts = exchange_.counts();
        Metrics own;
        own.add("saccade_viewers", "gauge", "Pages that watch", double(count(Kind::viewer)));
        own.add("saccade_listeners", "gauge", "Who listens to /events",
                double(count(Kind::listener)));
        own.add("saccade_connections", "gauge", "Open connections", double(connections_.size()));
        own.add("saccade_refused_total", "counter", "Connections and requests that were refused",
                double(refused_));
        own.add("saccade_pictures_total", "counter", "Pictures that were encoded",
                double(counts.encoded));
        own.add("saccade_picture_bytes_total", "counter", "Their bytes", double(counts.bytes));
        own.add("saccade_encode_seconds_total", "counter", "Time that encoding them took",
                counts.encode_seconds);
        own.add("saccade_sent_total", "counter", "Pictures that were sent to viewers",
                double(sent_));
        return exchange_.told().metrics + own.text();
    }

    // ---- viewers ------------------------------------------------------------------------------

    int begin_viewer(lws* wsi) {
        Connection& c = connection(wsi);
        c.become(Kind::viewer);
        c.number = ++last_viewer_;
        make_ready(c);
        ++people_;
        demand();
        lws_callback_on_writable(wsi);
        return 0;
    }

    int receive(lws* wsi, const char* in, size_t length) {
        Connection& c = connection(wsi);
        if (c.kind != Kind::viewer) return -1;
        const auto refuse = [&](lws_close_status status, const char* why) {
            ++refused_;
            std::string reason = why;
            lws_close_reason(wsi, status, reinterpret_cast<unsigned char*>(reason.data()),
                             reason.size());
            return -1;
        };
        if (lws_frame_is_binary(wsi))
            return refuse(LWS_CLOSE_STATUS_UNACCEPTABLE_OPCODE, "text, please");
        if (c.message.size() + length > longest_message)
            return refuse(LWS_CLOSE_STATUS_MESSAGE_TOO_LARGE, "too long");
        c.message.append(in, length);
        if (!lws_is_final_fragment(wsi) || lws_remaining_packet_payload(wsi) > 0) return 0;
        if (!c.messages.take(Clock::now()))
            return refuse(LWS_CLOSE_STATUS_POLICY_VIOLATION, "too many messages");
        const std::optional<ViewerMessage> message =
            read_viewer_message(std::exchange(c.message, {}));
        if (!message) return refuse(LWS_CLOSE_STATUS_POLICY_VIOLATION, "no message of ours");
        take(wsi, c, *message);
        return 0;
    }

    void take(lws* wsi, Connection& c, const ViewerMessage& message) {
        if (message.taken && *message.taken == c.sent) make_ready(c);
        if (message.clock) c.clock = message.clock;
        if (message.looks) {
            c.look = message.look;
            if (c.look) c.look->viewer = c.number;
        }
        if (!options_.read_only && message.wish != SharedWish{}) exchange_.wish(message.wish);
        demand();
        if (c.clock || has_picture_for(c)) lws_callback_on_writable(wsi);
    }

    // The newest frame is the oldest that anybody is given, now.
    uint64_t before_newest() const { return std::max<uint64_t>(exchange_.newest(), 1) - 1; }
    void make_ready(Connection& c) const {
        c.ready = true;
        c.after = std::max(c.sent, before_newest());
    }
    bool has_picture_for(const Connection& c) const {
        const std::shared_ptr<const ServedFrame> frame = exchange_.picture();
        return c.ready && frame && frame->number > c.after;
    }
    bool has_news_for(const Connection& c, Clock::time_point now) const {
        return c.told != exchange_.told_version() + people_ &&
               std::chrono::duration<double>(now - c.last_told).count() >= told_seconds;
    }

    int write_viewer(lws* wsi) {
        Connection& c = connection(wsi);
        if (c.kind != Kind::viewer) return 0;
        const auto now = Clock::now();
        send_.assign(LWS_PRE, 0);
        lws_write_protocol how = LWS_WRITE_TEXT;
        if (c.clock) {
            append("{\"clock\":" + nlohmann::json(*c.clock).dump() +
                   ",\"now\":" + nlohmann::json(ms_since_start(now)).dump() + "}");
            c.clock.reset();
        } else if (has_news_for(c, now)) {
            append(news_for(c));
            c.last_told = now;
        } else if (has_picture_for(c)) {
            const std::shared_ptr<const ServedFrame> frame = exchange_.picture();
            append_picture_message(send_, *frame, c.number, ms_since_start(frame->captured),
                                   ms_since_start(now));
            how = LWS_WRITE_BINARY;
            c.ready = false;
            c.sent = frame->number;
            ++c.pictures;
            ++sent_;
        } else {
            return 0;
        }
        const size_t length = send_.size() - LWS_PRE;
        if (lws_write(wsi, send_.data() + LWS_PRE, length, how) < int(length)) return -1;
        if (how == LWS_WRITE_BINARY) demand();
        if (c.clock || has_news_for(c, now) || has_picture_for(c)) lws_callback_on_writable(wsi);
        return 0;
    }
    void append(std::string_view text) { send_.insert(send_.end(), text.begin(), text.end()); }
    double ms_since_start(Clock::time_point time) const {
        return std::chrono::duration<double, std::milli>(time - start_).count();
    }

    std::string news_for(Connection& c) {
        const Exchange::Told told = exchange_.told();
        c.told = told.version + people_;
        nlohmann::json viewers = nlohmann::json::array();
        for (const auto& [wsi, one] : connections_)
            if (one.kind == Kind::viewer)
                viewers.push_back({{"number", one.number},
                                   {"looks", one.look.has_value()},
                                   {"seconds", int(one.seconds(Clock::now()))}});
        return "{\"state\":" + (told.state.empty() ? "null" : told.state) +
               ",\"you\":" + std::to_string(c.number) + ",\"viewers\":" + viewers.dump() +
               ",\"read_only\":" + (options_.read_only ? "true" : "false") + "}";
    }

    // ---- what all of them want ----------------------------------------------------------------

    void demand() {
        Demand all;
        const auto now = Clock::now();
        for (const auto& [wsi, c] : connections_) {
            if ((c.kind == Kind::viewer && c.ready) || c.kind == Kind::waiting)
                all.newer_than = std::min(all.newer_than.value_or(UINT64_MAX), c.after);
            if (c.kind == Kind::viewer) {
                last_look_ = now;
                if (c.look && c.look->attention.mode != AttentionMode::off &&
                    all.looks.size() < most_looks)
                    all.looks.push_back(*c.look);
            } else if (c.kind == Kind::listener) {
                all.lines = true;
            }
        }
        all.watched = last_look_ &&
                      std::chrono::duration<double>(now - *last_look_).count() < watched_seconds;
        exchange_.want(std::move(all));
    }

    // Pictures, lines, how things are.
    int take_news() {
        const std::vector<std::string> lines = exchange_.take_lines();
        const auto now = Clock::now();
        for (auto& [wsi, c] : connections_) {
            if (c.kind == Kind::waiting) {
                answer_with_frame(wsi, c);
            } else if (c.kind == Kind::listener) {
                for (const std::string& line : lines) {
                    if (c.events.size() == most_events) c.events.pop_front();
                    c.events.push_back("data: " + line + "\n\n");
                }
                if (!lines.empty()) lws_callback_on_writable(wsi);
            } else if (c.kind == Kind::viewer && (has_news_for(c, now) || has_picture_for(c))) {
                lws_callback_on_writable(wsi);
            }
        }
        return 0;
    }

    // Who keeps us waiting is sent away.
    void tick() {
        const auto now = Clock::now();
        for (auto& [wsi, c] : connections_) {
            const double seconds = c.seconds(now);
            if (c.kind == Kind::waiting) {
                answer_with_frame(wsi, c);
            } else if (c.kind == Kind::silent && seconds > limits_.header_seconds) {
                close(wsi);
            } else if ((c.kind == Kind::answering || c.kind == Kind::idle) &&
                       seconds > limits_.answer_seconds) {
                close(wsi);
            } else if (c.kind == Kind::listener && seconds > comment_seconds) {
                // Every line that it takes begins its time anew.
                if (seconds > comment_seconds + limits_.answer_seconds) close(wsi);
                if (c.events.empty()) c.events.emplace_back(": still here\n\n");
                lws_callback_on_writable(wsi);
            } else if (c.kind == Kind::viewer && has_news_for(c, now)) {
                lws_callback_on_writable(wsi);
            }
        }
        demand();
    }

    const ServerOptions options_;
    const ServerLimits limits_;
    const Door door_;
    const LivePage page_;
    const Clock::time_point start_ = Clock::now();
    struct Tick {
        lws_sorted_usec_list_t list{};
        Thread* self = nullptr;
    } tick_;
    lws_protocols protocols_[3]{};
    lws_retry_bo_t alive_{};
    lws_context* context_ = nullptr;
    uint16_t port_ = 0;
    std::map<lws*, Connection> connections_;
    std::map<std::string, Allowance> peers_;
    std::vector<unsigned char> send_;
    uint32_t last_viewer_ = 0;
    uint64_t people_ = 0;  // how often they came or went
    uint64_t refused_ = 0, sent_ = 0;
    std::optional<Clock::time_point> last_look_;
    Exchange exchange_;
    std::jthread thread_;
};

Server::Server(const ServerOptions& options, const ServerLimits& limits)
    : thread_(std::make_unique<Thread>(options, limits)) {}
Server::~Server() = default;
std::string Server::address() const { return thread_->address(); }
uint16_t Server::port() const { return thread_->port(); }
bool Server::read_only() const { return thread_->read_only(); }
Exchange& Server::exchange() { return thread_->exchange(); }

}  // namespace saccade
