#include "app/serve/web/viewers.h"

#include <libwebsockets.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/serve/picture_message.h"

namespace saccade {

namespace {

constexpr double state_seconds = 0.25;  // between two messages with the state

}  // namespace

Viewers::Viewers(const ServerOptions& options, Connections& connections, Exchange& exchange)
    : read_only_(options.read_only), connections_(connections), exchange_(exchange) {}

int Viewers::begin(lws* wsi) {
    Connection& c = connections_.of(wsi);
    c.become(Connection::Kind::viewer);
    c.number = ++last_viewer_;
    make_ready(c);
    ++connections_.viewer_changes;
    connections_.update_demand();
    lws_callback_on_writable(wsi);
    return 0;
}

void Viewers::end(lws* wsi) {
    const Connection& c = connections_.of(wsi);
    if (c.number == 0 || c.number != frozen_by_) return;
    frozen_by_ = 0;
    exchange_.wish({.switches = {{"frozen", false}}});
}

int Viewers::receive(lws* wsi, const char* in, size_t length) {
    Connection& c = connections_.of(wsi);
    if (c.kind != Connection::Kind::viewer) return -1;
    const auto refuse = [&](lws_close_status status, const char* why) {
        ++connections_.refused;
        std::string reason = why;
        lws_close_reason(wsi, status, reinterpret_cast<unsigned char*>(reason.data()),
                         reason.size());
        return -1;
    };
    if (lws_frame_is_binary(wsi))
        return refuse(LWS_CLOSE_STATUS_UNACCEPTABLE_OPCODE, "messages are text");
    if (c.message.size() + length > longest_message)
        return refuse(LWS_CLOSE_STATUS_MESSAGE_TOO_LARGE, "message too long");
    c.message.append(in, length);
    if (!lws_is_final_fragment(wsi) || lws_remaining_packet_payload(wsi) > 0) return 0;
    if (!c.message_limit.take(Clock::now()))
        return refuse(LWS_CLOSE_STATUS_POLICY_VIOLATION, "too many messages");
    const std::optional<ViewerMessage> message = read_viewer_message(std::exchange(c.message, {}));
    if (!message) return refuse(LWS_CLOSE_STATUS_POLICY_VIOLATION, "unknown message");
    handle(wsi, c, *message);
    return 0;
}

void Viewers::handle(lws* wsi, Connection& c, const ViewerMessage& message) {
    if (message.taken && *message.taken == c.sent) make_ready(c);
    if (message.clock) c.clock = message.clock;
    if (message.looks) {
        c.look = message.look;
        if (c.look) c.look->viewer = c.number;
    }
    if (!read_only_ && message.wish != SharedWish{}) {
        const auto frozen = message.wish.switches.find("frozen");
        if (frozen != message.wish.switches.end()) frozen_by_ = frozen->second ? c.number : 0;
        exchange_.wish(message.wish);
    }
    connections_.update_demand();
    if (c.clock || has_picture_for(c)) lws_callback_on_writable(wsi);
}

void Viewers::make_ready(Connection& c) const {
    c.ready = true;
    c.after = std::max(c.sent, connections_.before_newest());
}

bool Viewers::has_picture_for(const Connection& c) const {
    const std::shared_ptr<const ServedFrame> frame = exchange_.picture();
    return c.ready && frame && frame->number > c.after;
}

bool Viewers::has_state_for(const Connection& c, Clock::time_point now) const {
    return c.state_version != exchange_.told_version() + connections_.viewer_changes &&
           std::chrono::duration<double>(now - c.last_state).count() >= state_seconds;
}

bool Viewers::has_message_for(const Connection& c) const {
    return c.clock || has_state_for(c, Clock::now()) || has_picture_for(c);
}

int Viewers::write(lws* wsi) {
    Connection& c = connections_.of(wsi);
    if (c.kind != Connection::Kind::viewer) return 0;
    const auto now = Clock::now();
    send_.assign(LWS_PRE, 0);
    lws_write_protocol how = LWS_WRITE_TEXT;
    if (c.clock) {
        append("{\"clock\":" + nlohmann::json(*c.clock).dump() +
               ",\"now\":" + nlohmann::json(ms_since_start(now)).dump() + "}");
        c.clock.reset();
    } else if (has_state_for(c, now)) {
        append(state_for(c));
        c.last_state = now;
    } else if (has_picture_for(c)) {
        const std::shared_ptr<const ServedFrame> frame = exchange_.picture();
        append_picture_message(send_, *frame, c.number, ms_since_start(frame->captured),
                               ms_since_start(now));
        how = LWS_WRITE_BINARY;
        c.ready = false;
        c.sent = frame->number;
        ++connections_.pictures_sent;
    } else {
        return 0;
    }
    const size_t length = send_.size() - LWS_PRE;
    if (lws_write(wsi, send_.data() + LWS_PRE, length, how) < int(length)) return -1;
    if (how == LWS_WRITE_BINARY) connections_.update_demand();
    if (has_message_for(c)) lws_callback_on_writable(wsi);
    return 0;
}

std::string Viewers::state_for(Connection& c) const {
    const Exchange::Told told = exchange_.told();
    c.state_version = told.version + connections_.viewer_changes;
    nlohmann::json viewers = nlohmann::json::array();
    for (const auto& [wsi, one] : connections_)
        if (one.kind == Connection::Kind::viewer)
            viewers.push_back({{"number", one.number},
                               {"looks", one.look.has_value()},
                               {"seconds", int(one.seconds(Clock::now()))}});
    return "{\"state\":" + (told.state.empty() ? "null" : told.state) +
           ",\"you\":" + std::to_string(c.number) + ",\"viewers\":" + viewers.dump() +
           ",\"frozen_by\":" + std::to_string(frozen_by_) +
           ",\"read_only\":" + (read_only_ ? "true" : "false") + "}";
}

}  // namespace saccade
