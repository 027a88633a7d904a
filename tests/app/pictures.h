#pragma once

#include <array>
#include <cstdint>
#include <opencv2/imgcodecs.hpp>
#include <string>
#include <string_view>
#include <vector>

// Picture files made to measure.

namespace saccade {

inline std::string encoded(const std::string& extension, const cv::Mat& picture) {
    std::vector<uchar> bytes;
    cv::imencode(extension, picture, bytes);
    return {bytes.begin(), bytes.end()};
}

inline std::string big_endian(uint32_t value, int bytes) {
    std::string text;
    for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8)
        text.push_back(static_cast<char>(value >> shift));
    return text;
}

// PNG's checksum of a chunk.
inline uint32_t crc32(std::string_view bytes) {
    uint32_t crc = ~0u;
    for (const char byte : bytes) {
        crc ^= static_cast<uint8_t>(byte);
        for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (crc & 1 ? 0xedb88320u : 0u);
    }
    return ~crc;
}

// A PNG with a colour profile that libpng warns of.
inline std::string with_bad_profile(const std::string& png) {
    const std::string body("iCCPbroken\0\0not deflated", 24);
    const std::string chunk =
        big_endian(static_cast<uint32_t>(body.size() - 4), 4) + body + big_endian(crc32(body), 4);
    constexpr size_t after_header = 8 + 25;
    return png.substr(0, after_header) + chunk + png.substr(after_header);
}

// A JPEG whose EXIF data says how to turn it upright.
inline std::string with_orientation(const std::string& jpeg, int orientation) {
    const std::string entry = big_endian(0x0112, 2) + big_endian(3, 2) + big_endian(1, 4) +
                              big_endian(static_cast<uint32_t>(orientation), 2) + big_endian(0, 2);
    const std::string exif = std::string("Exif\0\0", 6) + "MM" + big_endian(42, 2) +
                             big_endian(8, 4) + big_endian(1, 2) + entry + big_endian(0, 4);
    return jpeg.substr(0, 2) + "\xff\xe1" + big_endian(static_cast<uint32_t>(exif.size() + 2), 2) +
           exif + jpeg.substr(2);
}

}  // namespace saccade
