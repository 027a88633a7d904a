#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace saccade {

// SHA-1 (FIPS 180-4), fed piece by piece. It names what git stores; it protects against nothing but
// accidents.
class Sha1 {
public:
    using Digest = std::array<uint8_t, 20>;

    void update(std::span<const std::byte> bytes);
    Digest finish();  // once, after the last piece

private:
    void compress(const std::byte* block);

    std::array<uint32_t, 5> state_{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
    std::array<std::byte, 64> block_{};
    size_t filled_ = 0;    // bytes waiting in block_
    uint64_t length_ = 0;  // bytes in all
};

std::string hex(const Sha1::Digest& digest);

}  // namespace saccade
