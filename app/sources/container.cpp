#include "app/sources/container.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>

namespace saccade {

namespace {

// Reads bytes of a file at any offset; zeros beyond its end.
class Bytes {
public:
    explicit Bytes(const std::filesystem::path& path) : file_(path, std::ios::binary) {
        file_.seekg(0, std::ios::end);
        size_ = static_cast<uint64_t>(std::max<std::streamoff>(file_.tellg(), 0));
    }
    uint64_t size() const { return size_; }
    std::array<uint8_t, 16> at(uint64_t place) {
        std::array<uint8_t, 16> bytes{};
        file_.clear();
        file_.seekg(static_cast<std::streamoff>(place));
        file_.read(reinterpret_cast<char*>(bytes.data()), bytes.size());
        return bytes;
    }

private:
    std::ifstream file_;
    uint64_t size_ = 0;
};

uint64_t big_endian(const uint8_t* bytes, int count) {
    uint64_t value = 0;
    for (int i = 0; i < count; ++i) value = value << 8 | bytes[i];
    return value;
}
uint64_t little_endian(const uint8_t* bytes) {
    return bytes[0] | uint64_t(bytes[1]) << 8 | uint64_t(bytes[2]) << 16 | uint64_t(bytes[3]) << 24;
}
bool is(const uint8_t* bytes, std::string_view text) {
    return std::string_view(reinterpret_cast<const char*>(bytes), text.size()) == text;
}

// MP4 consists of boxes: 4 bytes of length, 4 of name, and an 8-byte length if the first is 1.
bool is_mp4_cut_short(Bytes& file) {
    uint64_t place = 0;
    while (place + 8 <= file.size()) {
        const auto box = file.at(place);
        uint64_t length = big_endian(box.data(), 4), head = 8;
        if (length == 1) length = big_endian(&box[8], 8), head = 16;
        if (length == 0) return false;  // the box extends to the end of the file
        if (length < head || length > UINT64_MAX - place) return true;
        place += length;
    }
    return place != file.size();
}

// AVI consists of chunks: 4 bytes of name, 4 of length, padded to even offsets.
bool is_avi_cut_short(Bytes& file) {
    uint64_t place = 0;
    while (place + 8 <= file.size() && is(file.at(place).data(), "RIFF"))
        place += 8 + (little_endian(&file.at(place)[4]) + 1) / 2 * 2;
    return place > file.size();
}

// Matroska consists of EBML elements: an id of 1 to 4 bytes and a size of 1 to 8, whose leading
// zeros tell how many. The second element, Segment, is the whole video.
bool is_matroska_cut_short(Bytes& file) {
    uint64_t place = 0;
    for (int element = 0; element < 2; ++element) {
        auto leading = [](uint8_t byte) {
            int zeros = 0;
            while (zeros < 8 && !(byte & 0x80 >> zeros)) ++zeros;
            return zeros;
        };
        place += uint64_t(leading(file.at(place)[0])) + 1;
        const auto bytes = file.at(place);
        const int count = leading(bytes[0]) + 1;
        if (count > 8) return true;
        const uint64_t most = (uint64_t(1) << 7 * count) - 1;
        const uint64_t length = big_endian(bytes.data(), count) & most;
        if (length == most) return false;  // unknown size, of a live recording
        place += uint64_t(count) + length;
    }
    return place > file.size();
}

}  // namespace

bool is_cut_short(const std::filesystem::path& path) {
    Bytes file(path);
    const auto head = file.at(0);
    for (const char* name : {"ftyp", "moov", "mdat", "free", "wide"})
        if (is(&head[4], name)) return is_mp4_cut_short(file);
    if (is(head.data(), "RIFF") && is(&head[8], "AVI ")) return is_avi_cut_short(file);
    return is(head.data(), "\x1a\x45\xdf\xa3") && is_matroska_cut_short(file);
}

}  // namespace saccade
