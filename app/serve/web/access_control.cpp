#include "app/serve/web/access_control.h"

#include <libwebsockets.h>

#include <algorithm>
#include <string_view>

#include "app/io/text.h"
#include "app/serve/web/web_socket.h"

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

// Whether a space parts a name that tells the body's length from its colon. A proxy may read such a
// header, which libwebsockets takes for an unknown one.
bool has_split_name(lws* wsi) {
    for (const std::string_view name :
         {"content-length :", "content-length\t:", "transfer-encoding :", "transfer-encoding\t:"})
        if (lws_hdr_custom_length(wsi, name.data(), int(name.size())) >= 0) return true;
    return false;
}

}  // namespace

AccessControl::AccessControl(const ServerOptions& options, const ServerLimits& limits)
    : policy_(options.address, options.origin,
              options.address.loopback() && options.origin.empty() ? "" : make_token()),
      limits_(limits),
      refusals_(limits.refusals_per_second),
      health_checks_(limits.health_checks_per_second) {}

std::string AccessControl::url(const std::string& path) const {
    const std::string base = policy_.origin().empty()
                                 ? "http://" + host_and_port(policy_.host_name(), port_)
                                 : policy_.origin();
    return base + path + (policy_.needs_token() ? "?token=" + policy_.token() : "");
}

bool AccessControl::PeerLimits::take(lws* wsi) {
    char peer[64] = "";
    lws_get_peer_simple(wsi, peer, sizeof peer);
    if (limits_.size() > most_peers) limits_.clear();
    return limits_.try_emplace(peer, per_second_).first->second.take(TokenBucket::Clock::now());
}

bool AccessControl::has_token(lws* wsi) const {
    if (!policy_.needs_token()) return true;
    const std::string bearer = request_header(wsi, WSI_TOKEN_HTTP_AUTHORIZATION);
    return policy_.accepts_token(cookie_value(wsi, cookie_name())) ||
           policy_.accepts_token(query_argument(wsi, "token=")) ||
           (bearer.starts_with("Bearer ") && policy_.accepts_token(bearer.substr(7)));
}

// The fault of a request that is refused even with the token.
std::optional<Response> AccessControl::fault(lws* wsi) const {
    // A body of doubtful length can smuggle a request past a proxy. No address takes a body.
    const bool two_lengths = lws_hdr_fragment_length(wsi, WSI_TOKEN_HTTP_CONTENT_LENGTH, 1) > 0;
    const std::string length = request_header(wsi, WSI_TOKEN_HTTP_CONTENT_LENGTH);
    if (two_lengths || length.find_first_not_of("0123456789") != length.npos ||
        lws_hdr_total_length(wsi, WSI_TOKEN_HTTP_TRANSFER_ENCODING) > 0 || has_split_name(wsi))
        return Response{
            .status = 400, .body = "a request with a body of doubtful length\n", .close = true};
    const std::string host = request_header(wsi, WSI_TOKEN_HOST);
    if (!policy_.allows_host(host))
        return Response{.status = 421,
                        .body =
                            "unknown Host: use this machine's IP address, or start saccade with "
                            "--origin\n"};
    if (!policy_.allows_origin(request_header(wsi, WSI_TOKEN_ORIGIN), host))
        return Response{.status = 403,
                        .body = "requests from pages of another origin are refused\n"};
    return std::nullopt;
}

std::optional<Response> AccessControl::refusal(lws* wsi, Connection& c, Access access) {
    const Response too_many{.status = 429, .body = "too many requests\n"};
    const bool has_it = has_token(wsi);
    std::optional<Response> refused = fault(wsi);
    if (!refused && has_it) {
        c.let_in = true;
        if (!c.request_limit.take(Connection::Clock::now())) return too_many;
        return std::nullopt;
    }
    if (!refused && access == Access::everybody)
        return health_checks_.take(wsi) ? std::nullopt : std::optional(too_many);
    if (!refused)
        refused = Response{
            .status = 401,
            .body = "a token is needed: open the address that saccade printed at its start\n"};
    return refusals_.take(wsi) ? refused : too_many;
}

std::optional<Response> AccessControl::viewer_refusal(lws* wsi, Connection& c, bool full) {
    std::optional<Response> refused = refusal(wsi, c, Access::with_token);
    const auto header_is = [&](lws_token_indexes token, const char* value) {
        return in_lower_case(request_header(wsi, token)).find(value) != std::string::npos;
    };
    if (!refused && (!header_is(WSI_TOKEN_CONNECTION, "upgrade") ||
                     request_header(wsi, WSI_TOKEN_VERSION) != "13" ||
                     request_header(wsi, WSI_TOKEN_KEY).size() != 24))
        refused = Response{.status = 400, .body = "no WebSocket as of RFC 6455\n"};
    if (!refused && request_header(wsi, WSI_TOKEN_PROTOCOL) != "saccade")
        refused = Response{.status = 400, .body = "the WebSocket's protocol has to be 'saccade'\n"};
    if (!refused && full) refused = Response{.status = 503, .body = "there are too many viewers\n"};
    return refused;
}

std::string AccessControl::greeting(lws* wsi) {
    return "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
           "Sec-WebSocket-Accept: " +
           accept_key(request_header(wsi, WSI_TOKEN_KEY)) +
           "\r\nSec-WebSocket-Protocol: saccade\r\n\r\n";
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
