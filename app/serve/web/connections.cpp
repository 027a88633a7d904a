#include "app/serve/web/connections.h"

#include <libwebsockets.h>

#include <algorithm>

namespace saccade {

namespace {

constexpr double watched_seconds = 5;  // after the last request, pictures are still read back
constexpr size_t most_looks = 16;      // viewers whose maps are computed per frame

}  // namespace

Connection& Connections::of(lws* wsi) {
    return all_.try_emplace(wsi, limits_.messages_per_second).first->second;
}

void Connections::remove(lws* wsi) {
    const auto found = all_.find(wsi);
    if (found == all_.end()) return;
    const Kind kind = found->second.kind;
    all_.erase(found);
    if (kind == Kind::viewer) ++viewer_changes;
    if (kind != Kind::connected) update_demand();
}

void Connections::close(lws* wsi) {
    lws_set_timeout(wsi, PENDING_TIMEOUT_USER_REASON_BASE, LWS_TO_KILL_ASYNC);
}

bool Connections::make_room() {
    const auto inactive = [](Kind kind) { return kind == Kind::connected || kind == Kind::idle; };
    if (count(Kind::connected) + count(Kind::idle) >= limits_.inactive) {
        auto oldest = all_.end();
        for (auto it = all_.begin(); it != all_.end(); ++it)
            if (inactive(it->second.kind) &&
                (oldest == all_.end() || it->second.since < oldest->second.since))
                oldest = it;
        // Closing takes a moment; the new time keeps it from being chosen again until then.
        oldest->second.since = Clock::now();
        close(oldest->first);
        ++refused;
    }
    if (all_.size() < limits_.connections) return true;
    ++refused;
    return false;
}

size_t Connections::count(Kind kind) const {
    return size_t(
        std::ranges::count_if(all_, [&](const auto& one) { return one.second.kind == kind; }));
}

uint64_t Connections::before_newest() const {
    return std::max<uint64_t>(exchange_.newest(), 1) - 1;
}

void Connections::update_demand() {
    Demand wanted;
    const auto now = Clock::now();
    for (const auto& [wsi, c] : all_) {
        if ((c.kind == Kind::viewer && c.ready) || c.kind == Kind::waiting)
            wanted.newer_than = std::min(wanted.newer_than.value_or(UINT64_MAX), c.after);
        if (c.kind == Kind::viewer) {
            last_look_ = now;
            if (c.look && c.look->attention.mode != AttentionMode::off &&
                wanted.looks.size() < most_looks)
                wanted.looks.push_back(*c.look);
        } else if (c.kind == Kind::listener) {
            wanted.lines = true;
        }
    }
    wanted.watched =
        last_look_ && std::chrono::duration<double>(now - *last_look_).count() < watched_seconds;
    exchange_.want(std::move(wanted));
}

}  // namespace saccade
