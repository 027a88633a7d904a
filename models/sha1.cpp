#include "models/sha1.h"

#include <bit>

namespace saccade {

void Sha1::compress(const std::byte* block) {
    std::array<uint32_t, 80> w;
    for (size_t i = 0; i < 16; ++i) {
        w[i] = 0;
        for (size_t b = 0; b < 4; ++b) {
            w[i] = w[i] << 8 | std::to_integer<uint32_t>(block[4 * i + b]);
        }
    }
    for (size_t i = 16; i < 80; ++i) {
        w[i] = std::rotl(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
    }
    auto [a, b, c, d, e] = state_;
    for (size_t i = 0; i < 80; ++i) {
        uint32_t mixed, constant;
        if (i < 20) {
            mixed = (b & c) | (~b & d), constant = 0x5a827999;
        } else if (i < 40) {
            mixed = b ^ c ^ d, constant = 0x6ed9eba1;
        } else if (i < 60) {
            mixed = (b & c) | (b & d) | (c & d), constant = 0x8f1bbcdc;
        } else {
            mixed = b ^ c ^ d, constant = 0xca62c1d6;
        }
        uint32_t next = std::rotl(a, 5) + mixed + e + constant + w[i];
        e = d, d = c, c = std::rotl(b, 30), b = a, a = next;
    }
    const std::array<uint32_t, 5> mixed{a, b, c, d, e};
    for (size_t i = 0; i < 5; ++i) state_[i] += mixed[i];
}

void Sha1::update(std::span<const std::byte> bytes) {
    length_ += bytes.size();
    for (std::byte byte : bytes) {
        block_[filled_++] = byte;
        if (filled_ == block_.size()) {
            compress(block_.data());
            filled_ = 0;
        }
    }
}

Sha1::Digest Sha1::finish() {
    // A one bit, zeros up to the last eight bytes of a block, and there the length in bits.
    const uint64_t bits = length_ * 8;
    const std::byte one{0x80}, zero{0};
    update({&one, 1});
    while (filled_ != 56) update({&zero, 1});
    std::array<std::byte, 8> length;
    for (size_t i = 0; i < 8; ++i) length[i] = static_cast<std::byte>(bits >> (56 - 8 * i));
    update(length);

    Digest digest;
    for (size_t i = 0; i < digest.size(); ++i) {
        digest[i] = static_cast<uint8_t>(state_[i / 4] >> (24 - 8 * (i % 4)));
    }
    return digest;
}

std::string hex(const Sha1::Digest& digest) {
    constexpr const char* digits = "0123456789abcdef";
    std::string text;
    for (uint8_t byte : digest) {
        text += digits[byte >> 4];
        text += digits[byte & 15];
    }
    return text;
}

}  // namespace saccade
