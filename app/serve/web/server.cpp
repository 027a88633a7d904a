#include "app/serve/web/server.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <libwebsockets.h>
#include <netinet/in.h>
#include <spdlog/spdlog.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>

#include "app/serve/web/http_handler.h"
#include "app/serve/web/viewers.h"
#include "gpu/core/error.h"
#include "gpu/core/files.h"

namespace saccade {

namespace {

using Clock = std::chrono::steady_clock;
using Kind = Connection::Kind;

constexpr lws_usec_t tick_us = 100'000;

// Tries the port first, because libwebsockets does not report why it cannot listen.
void require_free_port(const ServeAddress& address) {
    const bool ipv6 = address.host.find(':') != address.host.npos;
    sockaddr_storage storage{};
    socklen_t length;
    if (ipv6) {
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
    const int socket = ::socket(ipv6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
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

}  // namespace

// libwebsockets' event loop. Every callback runs on the loop's one thread.
class Server::EventLoop {
public:
    EventLoop(const ServerOptions& options, const ServerLimits& limits)
        : options_(options),
          limits_(limits),
          exchanges_(make_exchanges()),
          access_(options, limits),
          connections_(limits, exchanges_),
          http_(options, limits, access_, connections_, exchanges_),
          classroom_(options.classroom),
          viewers_(options, limits, connections_, classroom_) {
        if (options.address.port != 0) require_free_port(options.address);
        open();
        thread_ = std::jthread([this](const std::stop_token& stop) {
            while (!stop.stop_requested() && lws_service(context_, 0) >= 0) {
            }
        });
    }
    ~EventLoop() {
        thread_.request_stop();
        lws_cancel_service(context_);
        thread_.join();
        for (const auto& exchange : exchanges_) exchange->stop();  // no further wake()
        lws_context_destroy(context_);
    }

    std::string address() const { return access_.url(); }
    std::string class_address() const { return classroom_.open() ? access_.url("/lecture") : ""; }
    // What follows '#' stays in the browser.
    std::string teacher_address() const {
        return classroom_.open() ? class_address() + "#teach=" + classroom_.key() : "";
    }
    uint16_t port() const { return access_.port(); }
    bool read_only() const { return options_.read_only; }
    Exchange& exchange(size_t source) { return *exchanges_.at(source); }

private:
    Exchanges make_exchanges() {
        Exchanges exchanges;
        for (size_t i = 0; i < std::max<size_t>(options_.sources.size(), 1); ++i)
            exchanges.push_back(std::make_unique<Exchange>([this] { wake(); }));
        return exchanges;
    }

    void open() {
        lws_set_log_level(LLL_ERR | LLL_WARN,
                          [](int, const char* line) { spdlog::debug("libwebsockets: {}", line); });
        protocols_[0] = {"http", callback, 0, longest_message, 0, nullptr, 0};
        protocols_[1] = {"web-socket", callback, 0, longest_message, 1, nullptr, 0};
        protocols_[2] = {};
        lws_context_creation_info info{};
        info.port = options_.address.port;
        info.iface = options_.address.host.c_str();
        info.protocols = protocols_;
        info.user = this;
        info.gid = gid_t(-1);
        info.uid = uid_t(-1);
        info.options = LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND;
        if (options_.address.host.find(':') == std::string::npos)
            info.options |= LWS_SERVER_OPTION_DISABLE_IPV6;
        info.max_http_header_data = 8192;
        info.max_http_header_pool2 = unsigned(limits_.connections);
        // Besides connections: the listening socket, the wake-up pipe and what the loop has open.
        info.fd_limit_per_thread = unsigned(limits_.connections) + 16;
        info.timeout_secs = unsigned(limits_.header_seconds);
        info.keepalive_timeout = int(limits_.idle_seconds);
        info.server_string = "saccade";
        context_ = lws_create_context(&info);
        if (!context_)
            throw Error("--serve cannot listen on " +
                        host_and_port(options_.address.host, options_.address.port) +
                        "; choose another port or address");
        access_.set_port(
            uint16_t(lws_get_vhost_listen_port(lws_get_vhost_by_name(context_, "default"))));
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
                EventLoop& self = *lws_container_of(list, Tick, list)->self;
                self.tick();
                self.schedule_tick();
            },
            tick_us);
    }

    static int callback(lws* wsi, lws_callback_reasons reason, void*, void* in, size_t length) {
        if (!wsi) return 0;
        auto* self = static_cast<EventLoop*>(lws_context_user(lws_get_context(wsi)));
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
                return connections_.make_room() ? 0 : 1;
            case LWS_CALLBACK_SERVER_NEW_CLIENT_INSTANTIATED:
                connections_.of(wsi);
                return 0;
            case LWS_CALLBACK_WSI_DESTROY:
                viewers_.end(wsi);
                connections_.remove(wsi);
                return 0;
            case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE:
                // Only WebSockets; an upgrade to HTTP/2 would bypass the checks.
                if (std::string_view(in) == "websocket" && may_view(wsi)) begin_web_socket(wsi);
                return -1;
            case LWS_CALLBACK_HTTP:
                return http_.begin(wsi, std::string(in, length));
            case LWS_CALLBACK_HTTP_BODY:
                return -1;  // no address takes a body
            case LWS_CALLBACK_HTTP_WRITEABLE:
                return http_.write(wsi);
            case LWS_CALLBACK_RAW_RX:
                return viewers_.receive(wsi, {in, length});
            case LWS_CALLBACK_RAW_WRITEABLE:
                return viewers_.write(wsi);
            case LWS_CALLBACK_EVENT_WAIT_CANCELLED:
                deliver();
                return 0;
            default:
                return 0;
        }
    }

    bool may_view(lws* wsi) {
        const size_t students = connections_.count_students();
        const bool full = http_.joins_class(wsi)
                              ? students >= limits_.students
                              : connections_.count(Kind::viewer) - students >= limits_.viewers;
        const std::optional<Response> refused =
            access_.viewer_refusal(wsi, connections_.of(wsi), full);
        if (!refused) return true;
        ++connections_.refused;
        lws_return_http_status(wsi, refused->status, nullptr);
        return false;
    }

    // Moves the socket of a request to a connection that does not speak HTTP. libwebsockets closes
    // a stand-in in its place.
    void begin_web_socket(lws* wsi) {
        const std::optional<size_t> source = http_.source_of(wsi);
        if (!source) {
            lws_return_http_status(wsi, 404, nullptr);
            return;
        }
        const int socket = lws_get_socket_fd(wsi);
        int pair[2];
        if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) return;
        const Descriptor stand_in(pair[0]), other_end(pair[1]);
        lws_sock_file_fd_type moved{};
        moved.sockfd = ::fcntl(socket, F_DUPFD_CLOEXEC, 0);
        if (moved.sockfd < 0) return;
        ::dup3(stand_in.get(), socket, O_CLOEXEC);
        lws* const made = lws_adopt_descriptor_vhost(lws_get_vhost(wsi), LWS_ADOPT_SOCKET, moved,
                                                     protocols_[1].name, nullptr);
        if (!made) return;
        lws_set_timeout(made, NO_PENDING_TIMEOUT, 0);
        connections_.of(made).in_class = http_.joins_class(wsi);
        viewers_.begin(made, AccessControl::greeting(wsi), *source);
    }

    // Passes on new pictures, lines and state.
    void deliver() {
        std::vector<std::vector<std::string>> events;
        for (const auto& exchange : exchanges_) events.push_back(exchange->take_events());
        for (auto& [wsi, c] : connections_) {
            if (c.kind == Kind::waiting)
                http_.respond_with_frame(wsi, c);
            else if (c.kind == Kind::listener)
                for (size_t i = 0; i < events.size(); ++i) {
                    if (c.all_sources || c.source == i) HttpHandler::add_events(wsi, c, events[i]);
                }
            else if (c.kind == Kind::viewer && viewers_.has_message_for(c))
                lws_callback_on_writable(wsi);
        }
    }

    // Closes connections that have timed out.
    void tick() {
        const auto now = Clock::now();
        for (auto& [wsi, c] : connections_) {
            const double seconds = c.seconds(now);
            if (!c.let_in && Connection::seconds(c.opened, now) > limits_.stranger_seconds)
                Connections::close(wsi, c);
            else if (c.kind == Kind::waiting)
                http_.respond_with_frame(wsi, c);
            else if (c.kind == Kind::connected && seconds > limits_.header_seconds)
                Connections::close(wsi, c);
            else if ((c.kind == Kind::responding || c.kind == Kind::idle) &&
                     seconds > limits_.response_seconds)
                Connections::close(wsi, c);
            else if (c.kind == Kind::listener)
                http_.keep_alive(wsi, c, seconds);
            else if (c.kind == Kind::viewer)
                viewers_.keep_alive(wsi, c, now);
        }
        connections_.update_demand();
    }

    const ServerOptions options_;
    const ServerLimits limits_;
    struct Tick {
        lws_sorted_usec_list_t list{};
        EventLoop* self = nullptr;
    } tick_;
    lws_protocols protocols_[3]{};
    lws_context* context_ = nullptr;
    Exchanges exchanges_;
    AccessControl access_;
    Connections connections_;
    HttpHandler http_;
    Classroom classroom_;
    Viewers viewers_;
    std::jthread thread_;
};

Server::Server(const ServerOptions& options, const ServerLimits& limits)
    : loop_(std::make_unique<EventLoop>(options, limits)) {}
Server::~Server() = default;
std::string Server::address() const { return loop_->address(); }
std::string Server::class_address() const { return loop_->class_address(); }
std::string Server::teacher_address() const { return loop_->teacher_address(); }
uint16_t Server::port() const { return loop_->port(); }
bool Server::read_only() const { return loop_->read_only(); }
Exchange& Server::exchange(size_t source) { return loop_->exchange(source); }

}  // namespace saccade
