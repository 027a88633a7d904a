#include "app/sources/container.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>

namespace saccade {

namespace {

// Bytes of a file at any place; zeros beyond its end.
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

// MP4 is made of boxes: 4 bytes of length, 4 of name, and 8 of length where the first was 1. Calls
// use(name, first, end) for those from `place` on; returns where the last one ends.
template <typename F>
uint64_t for_boxes(Bytes& file, uint64_t place, uint64_t end, F use) {
    while (place + 8 <= end) {
        const auto box = file.at(place);
        uint64_t length = big_endian(box.data(), 4), head = 8;
        if (length == 1) length = big_endian(&box[8], 8), head = 16;
        if (length == 0) length = end - place;  // to the end, wherever that is
        if (length < head || length > UINT64_MAX - place) return UINT64_MAX;
        use(std::string(box.begin() + 4, box.begin() + 8), place + head, place + length);
        place += length;
    }
    return place;
}

// Of the matrix by which a track is shown; its rows are (a, b, 0), (c, d, 0).
int quarter_turns(const std::array<uint8_t, 16>& matrix) {
    const auto b = static_cast<int32_t>(big_endian(&matrix[4], 4));
    const auto a = static_cast<int32_t>(big_endian(&matrix[0], 4));
    if (b > 0) return 1;
    if (b < 0) return 3;
    return a < 0 ? 2 : 0;
}

Container read_mp4(Bytes& file) {
    Container container;
    uint64_t units = 0, video = 0;  // a second, and the longest video, in units
    // Version 1 of a box has wider numbers.
    auto number = [&](uint64_t box, uint64_t place, uint64_t wide_place) {
        const bool wide = file.at(box)[0] == 1;
        return big_endian(file.at(box + (wide ? wide_place : place)).data(), wide ? 8 : 4);
    };
    auto track = [&](uint64_t first, uint64_t end) {
        uint64_t duration = 0;
        int turns = 0;
        bool is_video = false;
        for_boxes(file, first, end, [&](const std::string& name, uint64_t in, uint64_t out) {
            if (name == "tkhd") {
                duration = number(in, 20, 28);
                turns = quarter_turns(file.at(in + (file.at(in)[0] == 1 ? 52 : 40)));
            }
            if (name != "mdia") return;
            for_boxes(file, in, out, [&](const std::string& part, uint64_t at, uint64_t) {
                if (part == "hdlr") is_video = is(&file.at(at)[8], "vide");
            });
        });
        if (!is_video) return;
        video = std::max(video, duration);
        container.quarter_turns = turns;
    };
    const uint64_t end =
        for_boxes(file, 0, file.size(), [&](const std::string& name, uint64_t in, uint64_t out) {
            if (name != "moov") return;
            for_boxes(file, in, out, [&](const std::string& part, uint64_t at, uint64_t past) {
                if (part == "mvhd")
                    units = big_endian(file.at(at + (file.at(at)[0] == 1 ? 20 : 12)).data(), 4);
                if (part == "trak") track(at, past);
            });
        });
    container.cut_short = end != file.size();
    if (units > 0 && video > 0 && video < UINT32_MAX)
        container.seconds = static_cast<double>(video) / static_cast<double>(units);
    return container;
}

// AVI is made of chunks: 4 bytes of name, 4 of length, padded to even places. The first inner one
// is the main header, with the time of a frame and their number.
Container read_avi(Bytes& file) {
    Container container;
    uint64_t place = 0;
    while (place + 8 <= file.size() && is(file.at(place).data(), "RIFF"))
        place += 8 + (little_endian(&file.at(place)[4]) + 1) / 2 * 2;
    container.cut_short = place > file.size();
    if (is(file.at(24).data(), "avih"))
        container.seconds = 1e-6 * static_cast<double>(little_endian(file.at(32).data())) *
                            static_cast<double>(little_endian(file.at(48).data()));
    return container;
}

// Elements: a name of 1 to 4 bytes and a length of 1 to 8, both saying by their leading zeros how
// many. The whole video is the second element.
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
        if (length == most) return false;  // of a live recording: unknown
        place += uint64_t(count) + length;
    }
    return place > file.size();
}

}  // namespace

Container read_container(const std::filesystem::path& path) {
    Bytes file(path);
    const auto head = file.at(0);
    for (const char* name : {"ftyp", "moov", "mdat", "free", "wide"})
        if (is(&head[4], name)) return read_mp4(file);
    if (is(head.data(), "RIFF") && is(&head[8], "AVI ")) return read_avi(file);
    if (is(head.data(), "\x1a\x45\xdf\xa3"))
        return {.cut_short = is_matroska_cut_short(file), .seconds = std::nullopt};
    return {};
}

}  // namespace saccade
