#include "app/serve/web/viewers.h"

#include <libwebsockets.h>
#include <sys/socket.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/io/text.h"
#include "app/serve/picture_message.h"

namespace saccade {

namespace {

constexpr double state_seconds = 0.25;  // between two messages with the state
constexpr int farewell_seconds = 2;     // for a client to close after a goodbye

}  // namespace

Viewers::Viewers(const ServerOptions& options, const ServerLimits& limits, Connections& connections,
                 Classroom& classroom)
    : read_only_(options.read_only),
      limits_(limits),
      connections_(connections),
      classroom_(classroom) {}

int Viewers::begin(lws* wsi, std::string greeting, size_t source) {
    Connection& c = connections_.of(wsi);
    c.source = source;
    c.become(Connection::Kind::viewer);
    c.let_in = true;
    c.greeting = std::move(greeting);
    c.number = ++last_viewer_;
    make_ready(c);
    ++connections_.viewer_changes;
    connections_.update_demand();
    lws_callback_on_writable(wsi);
    return 0;
}

void Viewers::end(lws* wsi) {
    const Connection& c = connections_.of(wsi);
    const auto frozen = frozen_by_.find(c.source);
    if (c.number == 0 || frozen == frozen_by_.end() || c.number != frozen->second) return;
    frozen_by_.erase(frozen);
    connections_.exchange_of(c).wish({.switches = {{"frozen", false}}});
}

int Viewers::receive(lws* wsi, std::string_view bytes) {
    Connection& c = connections_.of(wsi);
    if (c.kind != Connection::Kind::viewer) return -1;
    if (c.leaving != Connection::Leaving::no) return 0;  // it was still on its way
    c.heard = Clock::now();
    c.pinged = false;
    c.reader.add(bytes);
    try {
        while (std::optional<SocketFrame> frame = c.reader.next()) {
            if (!c.message_limit.take(c.heard))
                throw SocketFault{CloseCode::policy, "too many messages"};
            handle(wsi, c, std::move(*frame));
            if (c.leaving != Connection::Leaving::no) break;
        }
    } catch (const SocketFault& fault) {
        ++connections_.refused;
        say_goodbye(wsi, c, close_payload(fault.code, fault.reason));
    }
    return 0;
}

void Viewers::handle(lws* wsi, Connection& c, SocketFrame frame) {
    switch (frame.opcode) {
        case Opcode::ping:
            c.pong = std::move(frame.payload);
            lws_callback_on_writable(wsi);
            return;
        case Opcode::pong:
            return;
        case Opcode::close:
            return say_goodbye(wsi, c, frame.payload.substr(0, 2));
        case Opcode::binary:
            throw SocketFault{CloseCode::unsupported, "messages are text"};
        case Opcode::text:
        case Opcode::more:
            break;
    }
    if (c.message.size() + frame.payload.size() > longest_message)
        throw SocketFault{CloseCode::too_long, "message too long"};
    c.message += frame.payload;
    if (!frame.final) return;
    const std::string text = std::exchange(c.message, {});
    if (!is_utf8(text)) throw SocketFault{CloseCode::not_utf8, "no UTF-8"};
    const std::optional<ViewerMessage> message = read_viewer_message(text);
    if (!message) throw SocketFault{CloseCode::policy, "unknown message"};
    handle(wsi, c, *message);
}

void Viewers::say_goodbye(lws* wsi, Connection& c, std::string payload) {
    c.goodbye = std::move(payload);
    c.leaving = Connection::Leaving::soon;
    c.ready = false;
    lws_callback_on_writable(wsi);
}

void Viewers::keep_alive(lws* wsi, Connection& c, Clock::time_point now) {
    const double silent = Connection::seconds(c.heard, now);
    if (silent > limits_.silence_seconds) return Connections::close(wsi, c);
    if (silent > limits_.ping_seconds && !std::exchange(c.pinged, true)) c.ping_due = true;
    if (c.ping_due || has_state_for(c, now)) lws_callback_on_writable(wsi);
}

void Viewers::handle(lws* wsi, Connection& c, const ViewerMessage& message) {
    if (message.taken && *message.taken == c.sent) make_ready(c);
    if (message.clock) c.clock = message.clock;
    if (message.looks) {
        c.look = message.look;
        if (c.look) c.look->viewer = c.number;
    }
    if (!message.key.empty()) classroom_.let_teach(c, message.key);
    if (!message.at.empty() && c.teaches) classroom_.move(c.source, message.at);
    if (may_wish(c, message.wish) && message.wish != SharedWish{}) {
        const auto frozen = message.wish.switches.find("frozen");
        if (frozen != message.wish.switches.end())
            frozen_by_[c.source] = frozen->second ? c.number : 0;
        SharedWish wish = message.wish;
        wish.viewer = c.number;
        connections_.exchange_of(c).wish(std::move(wish));
    }
    connections_.update_demand();
    if (c.clock || has_picture_for(c)) lws_callback_on_writable(wsi);
}

// In a class, only the teacher may ask for a lecture, also with --read-only.
bool Viewers::may_wish(const Connection& c, const SharedWish& wish) const {
    if (wish.lecture && classroom_.open()) return c.teaches && wish == SharedWish{.lecture = true};
    return !read_only_ && !c.in_class;
}

void Viewers::make_ready(Connection& c) const {
    c.ready = true;
    c.after = std::max(c.sent, connections_.before_newest(c));
}

bool Viewers::has_picture_for(const Connection& c) const {
    const std::shared_ptr<const ServedFrame> frame = connections_.exchange_of(c).picture();
    return c.ready && !c.in_class && frame && frame->number > c.after && !frame->jpeg.empty();
}

bool Viewers::has_state_for(const Connection& c, Clock::time_point now) const {
    return c.state_version != state_version_of(c) &&
           std::chrono::duration<double>(now - c.last_state).count() >= state_seconds;
}

uint64_t Viewers::state_version_of(const Connection& c) const {
    const Exchange& exchange = connections_.exchange_of(c);
    const uint64_t told =
        c.in_class ? exchange.lecture_version() + classroom_.version() : exchange.told_version();
    return told + connections_.viewer_changes;
}

bool Viewers::has_message_for(const Connection& c) const {
    return c.clock || has_state_for(c, Clock::now()) || has_picture_for(c);
}

void Viewers::begin_message() { send_.assign(LWS_PRE + longest_frame_header, 0); }

int Viewers::send(lws* wsi, Opcode opcode) {
    constexpr size_t gap = LWS_PRE + longest_frame_header;
    const std::string header = frame_header(opcode, send_.size() - gap);
    unsigned char* const begin = send_.data() + gap - header.size();
    std::ranges::copy(header, begin);
    const size_t length = send_.size() - gap + header.size();
    return lws_write(wsi, begin, length, LWS_WRITE_RAW) < int(length) ? -1 : 0;
}

int Viewers::write(lws* wsi) {
    Connection& c = connections_.of(wsi);
    if (c.kind != Connection::Kind::viewer) return 0;
    if (c.leaving == Connection::Leaving::now) {
        // The client closes when it gets the goodbye. Its input is read until then, because closing
        // a socket with unread input resets the connection, and the goodbye may be lost.
        ::shutdown(lws_get_socket_fd(wsi), SHUT_WR);
        lws_set_timeout(wsi, PENDING_TIMEOUT_USER_REASON_BASE, farewell_seconds);
        return 0;
    }
    begin_message();
    int result = 0;
    if (!c.greeting.empty()) {
        append(std::exchange(c.greeting, {}));
        unsigned char* const begin = send_.data() + LWS_PRE + longest_frame_header;
        const size_t length = send_.size() - LWS_PRE - longest_frame_header;
        result = lws_write(wsi, begin, length, LWS_WRITE_RAW) < int(length) ? -1 : 0;
    } else if (c.goodbye) {
        append(*std::exchange(c.goodbye, std::nullopt));
        c.leaving = Connection::Leaving::now;
        result = send(wsi, Opcode::close);
    } else if (c.leaving != Connection::Leaving::no) {
        return 0;
    } else if (c.pong) {
        append(*std::exchange(c.pong, std::nullopt));
        result = send(wsi, Opcode::pong);
    } else if (std::exchange(c.ping_due, false)) {
        result = send(wsi, Opcode::ping);
    } else {
        return write_message(wsi, c);
    }
    lws_callback_on_writable(wsi);  // there may be more
    return result;
}

int Viewers::write_message(lws* wsi, Connection& c) {
    const auto now = Clock::now();
    Opcode opcode = Opcode::text;
    if (c.clock) {
        append("{\"clock\":" + nlohmann::json(*c.clock).dump() +
               ",\"now\":" + nlohmann::json(ms_since_start(now)).dump() + "}");
        c.clock.reset();
    } else if (has_state_for(c, now)) {
        append(state_for(c));
        c.last_state = now;
    } else if (has_picture_for(c)) {
        const std::shared_ptr<const ServedFrame> frame = connections_.exchange_of(c).picture();
        append_picture_message(send_, *frame, c.number, ms_since_start(frame->captured),
                               ms_since_start(now));
        opcode = Opcode::binary;
        c.ready = false;
        c.sent = frame->number;
        ++connections_.pictures_sent;
    } else {
        return 0;
    }
    if (send(wsi, opcode) != 0) return -1;
    if (opcode == Opcode::binary) connections_.update_demand();
    if (has_message_for(c)) lws_callback_on_writable(wsi);
    return 0;
}

std::string Viewers::state_for(Connection& c) const {
    if (c.in_class) {
        c.state_version = state_version_of(c);
        return classroom_.message_for(c, connections_);
    }
    const auto by = frozen_by_.find(c.source);
    const uint32_t frozen = by == frozen_by_.end() ? 0 : by->second;
    const Exchange::Told told = connections_.exchange_of(c).told();
    c.state_version = told.version + connections_.viewer_changes;
    nlohmann::json viewers = nlohmann::json::array();
    for (const auto& [wsi, one] : connections_)
        if (one.kind == Connection::Kind::viewer && one.source == c.source && !one.in_class)
            viewers.push_back({{"number", one.number},
                               {"looks", one.look.has_value()},
                               {"seconds", int(one.seconds(Clock::now()))}});
    return "{\"state\":" + (told.state.empty() ? "null" : told.state) +
           ",\"you\":" + std::to_string(c.number) + ",\"viewers\":" + viewers.dump() +
           ",\"frozen_by\":" + std::to_string(frozen) +
           ",\"read_only\":" + (read_only_ ? "true" : "false") + "}";
}

}  // namespace saccade
