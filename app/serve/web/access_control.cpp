#include "app/serve/web/access_control.h"

#include <libwebsockets.h>

#include <algorithm>
#include <string_view>

namespace saccade {

namespace {

constexpr size_t most_peers = 4096;  // whose rate limits are remembered

std::string request_header(lws* wsi, lws_token_indexes token) {
    std::string text(size_t(lws_hdr_total_length(wsi, token)) + 1, '\0');
    const int length = lws_hdr_copy(wsi, text.data(), int(text.size()), token);
    text.resize(size_t(std::max(length, 0)));
    return text;
}

std::string query_argument(lws* wsi, const char* name) {
    char text[512];
    const char* value = lws_get_urlarg_by_name(wsi, name, text, sizeof text);
    return value ? value : "";
}

std::string cookie_value(lws* wsi, const std::string& name) {
    const std::string all = request_header(wsi, WSI_TOKEN_HTTP_COOKIE);
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

AccessControl::AccessControl(const ServerOptions& options, const ServerLimits& limits)
    : policy_(options.address, options.origin,
              options.address.loopback() && options.origin.empty() ? "" : make_token()),
      limits_(limits) {}

std::string AccessControl::url() const {
    const std::string base = policy_.origin().empty()
                                 ? "http://" + host_and_port(policy_.host_name(), port_)
                                 : policy_.origin();
    return base + "/" + (policy_.needs_token() ? "?token=" + policy_.token() : "");
}

bool AccessControl::within_rate_limit(lws* wsi) {
    char peer[64] = "";
    lws_get_peer_simple(wsi, peer, sizeof peer);
    if (rate_limits_.size() > most_peers) rate_limits_.clear();
    return rate_limits_.try_emplace(peer, limits_.requests_per_second)
        .first->second.take(TokenBucket::Clock::now());
}

bool AccessControl::has_token(lws* wsi) const {
    if (!policy_.needs_token()) return true;
    const std::string bearer = request_header(wsi, WSI_TOKEN_HTTP_AUTHORIZATION);
    return policy_.accepts_token(cookie_value(wsi, cookie_name())) ||
           policy_.accepts_token(query_argument(wsi, "token=")) ||
           (bearer.starts_with("Bearer ") && policy_.accepts_token(bearer.substr(7)));
}

std::optional<Response> AccessControl::refusal(lws* wsi, bool needs_token) {
    if (!within_rate_limit(wsi)) return Response{.status = 429, .body = "too many requests\n"};
    const std::string host = request_header(wsi, WSI_TOKEN_HOST);
    if (!policy_.allows_host(host))
        return Response{.status = 421,
                        .body =
                            "unknown Host: use this machine's IP address, or start saccade with "
                            "--origin\n"};
    if (!policy_.allows_origin(request_header(wsi, WSI_TOKEN_ORIGIN), host))
        return Response{.status = 403,
                        .body = "requests from pages of another origin are refused\n"};
    if (needs_token && !has_token(wsi))
        return Response{
            .status = 401,
            .body = "a token is needed: open the address that saccade printed at its start\n"};
    return std::nullopt;
}

std::optional<Response> AccessControl::viewer_refusal(lws* wsi, size_t viewers) {
    std::optional<Response> refused = refusal(wsi, true);
    if (!refused && request_header(wsi, WSI_TOKEN_PROTOCOL) != "saccade")
        refused = Response{.status = 400, .body = "the WebSocket's protocol has to be 'saccade'\n"};
    if (!refused && viewers >= limits_.viewers)
        refused = Response{.status = 503, .body = "there are too many viewers\n"};
    return refused;
}

std::optional<Response> AccessControl::token_redirect(lws* wsi) const {
    if (!policy_.needs_token() || query_argument(wsi, "token=").empty()) return std::nullopt;
    const bool secure = policy_.origin().starts_with("https:");
    return Response{.status = 303,
                    .header = "set-cookie:",
                    .header_value = cookie_name() + "=" + policy_.token() +
                                    "; Path=/; HttpOnly; SameSite=Lax" +
                                    (secure ? "; Secure" : "")};
}

}  // namespace saccade
