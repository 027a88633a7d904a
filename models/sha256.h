#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace saccade {

// SHA-256 (FIPS 180-4), fed piece by piece.
class Sha256 {
public:
    using Digest = std::array<uint8_t, 32>;

    void update(std::span<const std::byte> bytes);
    Digest finish();  // once, after the last piece

private:
    void compress(const std::byte* block);

    std::array<uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                   0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    std::array<std::byte, 64> block_{};
    size_t filled_ = 0;    // bytes waiting in block_
    uint64_t length_ = 0;  // bytes in all
};

Sha256::Digest sha256(std::span<const std::byte> bytes);
Sha256::Digest sha256(std::string_view text);
std::string hex(const Sha256::Digest& digest);

}  // namespace saccade
