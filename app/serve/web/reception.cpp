#include "app/serve/web/reception.h"

#include <libwebsockets.h>

#include <algorithm>
#include <string_view>

namespace saccade {

namespace {

constexpr size_t most_peers = 4096;  // whose rates are remembered

std::string header_of(lws* wsi, lws_token_indexes token) {
    std::string text(size_t(lws_hdr_total_length(wsi, token)) + 1, '\0');
    const int length = lws_hdr_copy(wsi, text.data(), int(text.size()), token);
    text.resize(size_t(std::max(length, 0)));
    return text;
}

std::string argument_of(lws* wsi, const char* name) {
    char text[512];
    const char* value = lws_get_urlarg_by_name(wsi, name, text, sizeof text);
    return value ? value : "";
}

std::string cookie_of(lws* wsi, const std::string& name) {
    const std::string all = header_of(wsi, WSI_TOKEN_HTTP_COOKIE);
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

Reception::Reception(const ServerOptions& options, const ServerLimits& limits)
    : door_(options.address, options.origin,
            options.address.loopback() && options.origin.empty() ? "" : make_token()),
      limits_(limits) {}

std::string Reception::address() const {
    const std::string base = door_.origin().empty() ? "http://" + host_and_port(door_.name(), port_)
                                                    : door_.origin();
    return base + "/" + (door_.locked() ? "?token=" + door_.token() : "");
}

bool Reception::rate_is_fine(lws* wsi) {
    char peer[64] = "";
    lws_get_peer_simple(wsi, peer, sizeof peer);
    if (peers_.size() > most_peers) peers_.clear();
    return peers_.try_emplace(peer, limits_.requests_a_second)
        .first->second.take(Allowance::Clock::now());
}

bool Reception::has_token(lws* wsi) const {
    if (!door_.locked()) return true;
    const std::string bearer = header_of(wsi, WSI_TOKEN_HTTP_AUTHORIZATION);
    return door_.opens_to(cookie_of(wsi, cookie_name())) ||
           door_.opens_to(argument_of(wsi, "token=")) ||
           (bearer.starts_with("Bearer ") && door_.opens_to(bearer.substr(7)));
}

std::optional<Answer> Reception::refusal(lws* wsi, bool needs_token) {
    if (!rate_is_fine(wsi)) return Answer{.status = 429, .body = "too many requests\n"};
    const std::string host = header_of(wsi, WSI_TOKEN_HOST);
    if (!door_.knows_host(host))
        return Answer{.status = 421,
                      .body = "this host goes by another name: use its address in numbers, or "
                              "start saccade with --origin\n"};
    if (!door_.knows_origin(header_of(wsi, WSI_TOKEN_ORIGIN), host))
        return Answer{.status = 403, .body = "pages of others may not ask\n"};
    if (needs_token && !has_token(wsi))
        return Answer{.status = 401,
                      .body = "a token is needed: open the address that saccade has printed\n"};
    return std::nullopt;
}

std::optional<Answer> Reception::viewer_refusal(lws* wsi, size_t viewers) {
    std::optional<Answer> no = refusal(wsi, true);
    if (!no && header_of(wsi, WSI_TOKEN_PROTOCOL) != "saccade")
        no = Answer{.status = 400, .body = "the protocol is 'saccade'\n"};
    if (!no && viewers >= limits_.viewers)
        no = Answer{.status = 503, .body = "there are too many viewers\n"};
    return no;
}

std::optional<Answer> Reception::token_into_cookie(lws* wsi) const {
    if (!door_.locked() || argument_of(wsi, "token=").empty()) return std::nullopt;
    const bool secure = door_.origin().starts_with("https:");
    return Answer{.status = 303,
                  .name = "set-cookie:",
                  .value = cookie_name() + "=" + door_.token() +
                           "; Path=/; HttpOnly; SameSite=Lax" + (secure ? "; Secure" : "")};
}

}  // namespace saccade
