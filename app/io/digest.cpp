#include "app/io/digest.h"

#include <openssl/evp.h>

#include "gpu/core/error.h"

namespace saccade {

void Digest::Free::operator()(evp_md_ctx_st* context) const { EVP_MD_CTX_free(context); }

Digest Digest::sha1() { return Digest("SHA1"); }
Digest Digest::sha256() { return Digest("SHA256"); }

Digest::Digest(const char* algorithm) : context_(EVP_MD_CTX_new()) {
    if (!context_ ||
        EVP_DigestInit_ex(context_.get(), EVP_get_digestbyname(algorithm), nullptr) != 1)
        throw Error(std::string("libcrypto refuses to compute ") + algorithm +
                    "; check its configuration");
}

void Digest::update(std::span<const std::byte> bytes) {
    EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size());
}

std::vector<std::byte> Digest::finish() {
    std::vector<std::byte> digest(EVP_MAX_MD_SIZE);
    unsigned size = 0;
    EVP_DigestFinal_ex(context_.get(), reinterpret_cast<unsigned char*>(digest.data()), &size);
    digest.resize(size);
    return digest;
}

std::string hex(std::span<const std::byte> bytes) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    for (const std::byte byte : bytes) {
        text += digits[std::to_integer<size_t>(byte >> 4)];
        text += digits[std::to_integer<size_t>(byte & std::byte{15})];
    }
    return text;
}

}  // namespace saccade
