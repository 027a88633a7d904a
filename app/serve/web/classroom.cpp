#include "app/serve/web/classroom.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/serve/web/access_policy.h"

namespace saccade {

Classroom::Classroom(bool open) : key_(open ? make_token() : "") {}

void Classroom::let_teach(Connection& c, std::string_view key) {
    if (!open() || !c.in_class || !same_secret(key, key_)) return;
    c.teaches = true;
    ++version_;
}

void Classroom::move(size_t source, std::vector<int32_t> place) {
    std::vector<int32_t>& known = places_[source];
    if (known == place) return;
    known = std::move(place);
    ++version_;
}

std::string Classroom::message_for(const Connection& c, Connections& connections) const {
    const auto here = std::ranges::count_if(connections, [&](const auto& one) {
        return one.second.in_class && !one.second.teaches && one.second.source == c.source;
    });
    const auto place = places_.find(c.source);
    const nlohmann::json at =
        place == places_.end() ? nlohmann::json() : nlohmann::json(place->second);
    const nlohmann::json message = {{"class",
                                     {{"lecture", json_of(connections.exchange_of(c).lecture())},
                                      {"at", at},
                                      {"teaches", c.teaches},
                                      {"here", here}}}};
    return message.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace saccade
