#include "app/page/base64.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace saccade {

std::string base64(std::span<const std::byte> bytes) {
    constexpr std::string_view letters =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (size_t at = 0; at < bytes.size(); at += 3) {
        const size_t count = std::min<size_t>(bytes.size() - at, 3);
        uint32_t bits = 0;
        for (size_t i = 0; i < 3; ++i)
            bits = bits << 8 | (i < count ? std::to_integer<uint32_t>(bytes[at + i]) : 0u);
        for (uint32_t i = 0; i < 4; ++i)
            text.push_back(i <= count ? letters[bits >> (18 - 6 * i) & 63u] : '=');
    }
    return text;
}

}  // namespace saccade
