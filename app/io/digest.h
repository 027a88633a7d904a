#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

struct evp_md_ctx_st;  // libcrypto's

namespace saccade {

// The SHA-1 or SHA-256 of bytes that arrive in chunks. SHA-1 is for the names of git blobs; it only
// protects against accidents.
class Digest {
public:
    static Digest sha1();
    static Digest sha256();

    void update(std::span<const std::byte> bytes);
    void update(std::string_view text) { update(std::as_bytes(std::span(text))); }
    std::vector<std::byte> finish();  // once, after the last chunk

private:
    struct Free {
        void operator()(evp_md_ctx_st* context) const;
    };
    explicit Digest(const char* algorithm);

    std::unique_ptr<evp_md_ctx_st, Free> context_;
};

// Two digits per byte, in lower case.
std::string hex(std::span<const std::byte> bytes);

}  // namespace saccade
