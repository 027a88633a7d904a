#include "app/serve/web/connections.h"

#include <libwebsockets.h>

#include <algorithm>

namespace saccade {

namespace {

constexpr double watched_seconds = 5;  // after the last request, pictures are still read back

}  // namespace

Connection& Connections::of(lws* wsi) { return all_.try_emplace(wsi, limits_).first->second; }

void Connections::remove(lws* wsi) {
    const auto found = all_.find(wsi);
    if (found == all_.end()) return;
    const Kind kind = found->second.kind;
    all_.erase(found);
    if (kind == Kind::viewer) ++viewer_changes;
    if (kind != Kind::connected) update_demand();
}

void Connections::close(lws* wsi, Connection& c) {
    c.closing = true;
    lws_set_timeout(wsi, PENDING_TIMEOUT_USER_REASON_BASE, LWS_TO_KILL_ASYNC);
}

void Connections::close_oldest(Since since) {
    auto oldest = all_.end();
    for (auto it = all_.begin(); it != all_.end(); ++it) {
        const auto time = it->second.closing ? std::nullopt : since(it->second);
        if (time && (oldest == all_.end() || *time < *since(oldest->second))) oldest = it;
    }
    if (oldest == all_.end()) return;
    close(oldest->first, oldest->second);
    ++refused;
}

bool Connections::make_room() {
    const Since strange = [](const Connection& c) {
        return c.let_in ? std::nullopt : std::optional(c.opened);
    };
    const Since idle = [](const Connection& c) {
        return c.kind == Kind::idle ? std::optional(c.since) : std::nullopt;
    };
    const size_t strangers = size_t(std::ranges::count_if(
        all_, [](const auto& one) { return !one.second.let_in && !one.second.closing; }));
    const bool full = all_.size() >= limits_.connections;
    if (strangers >= limits_.strangers || (full && strangers > 0))
        close_oldest(strange);
    else if (full)
        close_oldest(idle);
    if (all_.size() < limits_.connections) return true;
    ++refused;
    return false;
}

size_t Connections::count_open() const {
    return size_t(std::ranges::count_if(all_, [](const auto& one) { return !one.second.closing; }));
}

size_t Connections::count(Kind kind) const {
    return size_t(
        std::ranges::count_if(all_, [&](const auto& one) { return one.second.kind == kind; }));
}

size_t Connections::count_students() const {
    return size_t(std::ranges::count_if(all_, [](const auto& one) {
        return one.second.kind == Kind::viewer && one.second.in_class;
    }));
}

uint64_t Connections::before_newest(const Connection& c) const {
    return std::max<uint64_t>(exchange_of(c).newest(), 1) - 1;
}

void Connections::update_demand() {
    const auto now = Clock::now();
    for (size_t source = 0; source < exchanges_.size(); ++source) {
        Demand wanted;
        wanted.whole = false;
        for (const auto& [wsi, c] : all_) {
            if (c.kind == Kind::listener && c.all_sources) wanted.lines = true;
            if (c.source != source || c.in_class) continue;
            if ((c.kind == Kind::viewer && c.ready) || c.kind == Kind::waiting) {
                wanted.newer_than = std::min(wanted.newer_than.value_or(UINT64_MAX), c.after);
                const bool small = c.kind == Kind::waiting && c.wants_small;
                wanted.small = wanted.small || small;
                wanted.whole = wanted.whole || !small;
            }
            if (c.kind == Kind::viewer) {
                looks_[source] = now;
                if (c.look && c.look->attention.mode != AttentionMode::off)
                    wanted.looks.push_back(*c.look);
            } else if (c.kind == Kind::listener) {
                wanted.lines = true;
            }
        }
        const std::optional<Clock::time_point>& look = looks_[source];
        wanted.watched =
            look && std::chrono::duration<double>(now - *look).count() < watched_seconds;
        exchanges_[source]->want(std::move(wanted));
    }
}

}  // namespace saccade
