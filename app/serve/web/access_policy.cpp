#include "app/serve/web/access_policy.h"

#include <openssl/crypto.h>
#include <openssl/rand.h>
#include <unistd.h>

#include <array>
#include <utility>
#include <vector>

#include "app/io/digest.h"
#include "app/io/text.h"
#include "gpu/core/error.h"

namespace saccade {

namespace {

// The name in "name:port" or "[address]:port", without brackets.
std::string host_part(std::string_view text) {
    if (text.starts_with('[')) return in_lower_case(text.substr(1, text.find(']') - 1));
    return in_lower_case(text.substr(0, text.find(':')));
}

std::string machine_name() {
    char name[256] = "";
    if (::gethostname(name, sizeof name - 1) != 0) return "";
    return in_lower_case(name);
}

}  // namespace

std::string make_token() {
    std::array<std::byte, 16> bytes{};
    if (::RAND_bytes(reinterpret_cast<unsigned char*>(bytes.data()), int(bytes.size())) != 1)
        throw Error("OpenSSL's random number generator failed, so there is no token");
    return hex(bytes);
}

bool same_secret(std::string_view given, std::string_view expected) {
    // CRYPTO_memcmp needs equal lengths, which digests have.
    auto sha256 = [](std::string_view text) {
        Digest digest = Digest::sha256();
        digest.update(text);
        return digest.finish();
    };
    const std::vector<std::byte> one = sha256(given), other = sha256(expected);
    return ::CRYPTO_memcmp(one.data(), other.data(), other.size()) == 0;
}

AccessPolicy::AccessPolicy(ServeAddress address, std::string origin, std::string token)
    : address_(std::move(address)),
      origin_(std::move(origin)),
      machine_(machine_name()),
      token_(std::move(token)) {}

const std::string& AccessPolicy::host_name() const {
    const bool all = address_.host == "0.0.0.0" || address_.host == "::";
    return all && !machine_.empty() ? machine_ : address_.host;
}

bool AccessPolicy::allows_host(std::string_view host) const {
    const std::string name = host_part(host);
    if (name.empty()) return false;
    if (name == "localhost" || name == address_.host) return true;
    if (!origin_.empty() && name == host_part(origin_.substr(origin_.find("//") + 2))) return true;
    if (address_.loopback()) return name.starts_with("127.") ? is_ip_address(name) : name == "::1";
    // A numeric address involves no DNS, so it cannot be rebound.
    return is_ip_address(name) || name == machine_ || name == machine_ + ".local";
}

bool AccessPolicy::allows_origin(std::string_view origin, std::string_view host) const {
    if (origin.empty()) return true;
    const std::string from = in_lower_case(origin), to = in_lower_case(host);
    return (!origin_.empty() && from == origin_) || from == "http://" + to;
}

bool AccessPolicy::accepts_token(std::string_view token) const {
    return !needs_token() || same_secret(token, token_);
}

}  // namespace saccade
