#include "app/lab/ppm.h"

#include <algorithm>
#include <fstream>
#include <string>
#include <system_error>

#include "gpu/core/error.h"
#include "gpu/core/files.h"

namespace saccade {
namespace {

constexpr uint32_t max_side = 32768;

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& what) {
    throw Error(path.string() + ": " + what);
}

bool is_space(int c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// The next number of the header, after blanks and '#' comments. Consumes the byte after it.
uint32_t header_number(std::istream& in, const std::filesystem::path& path, const char* what) {
    int c = in.get();
    while (is_space(c) || c == '#') {
        if (c == '#')
            while (c != '\n' && c != '\r' && c != std::char_traits<char>::eof()) c = in.get();
        else
            c = in.get();
    }
    uint64_t value = 0;
    bool any = false;
    for (; c >= '0' && c <= '9'; c = in.get()) {
        any = true;
        value = std::min<uint64_t>(value * 10 + static_cast<uint64_t>(c - '0'), UINT32_MAX);
    }
    if (!any || !is_space(c)) fail(path, std::string("has no ") + what + " in its PPM header");
    return static_cast<uint32_t>(value);
}

}  // namespace

PpmPicture read_ppm(const std::filesystem::path& path) {
    std::error_code error;
    const auto status = std::filesystem::status(path, error);
    if (!std::filesystem::exists(status)) fail(path, "no such file");
    if (std::filesystem::is_directory(status)) fail(path, "is a folder, not a picture");
    std::ifstream in(path, std::ios::binary);
    if (!in) fail(path, "cannot be opened; check its permissions");

    char magic[2] = {};
    in.read(magic, 2);
    if (!in || magic[0] != 'P' || magic[1] != '6')
        fail(path, "is not a binary PPM picture (P6); convert it to one first");

    PpmPicture picture;
    picture.width = header_number(in, path, "width");
    picture.height = header_number(in, path, "height");
    const uint32_t largest_level = header_number(in, path, "largest level");
    const std::string size = std::to_string(picture.width) + "x" + std::to_string(picture.height);
    if (picture.width == 0 || picture.height == 0) fail(path, "has no pixels (" + size + ")");
    if (picture.width > max_side || picture.height > max_side)
        fail(path,
             "claims " + size + " pixels; " + std::to_string(max_side) + " a side is the most");
    if (largest_level != 255)
        fail(path, "has levels up to " + std::to_string(largest_level) +
                       "; convert it to 8 bits a channel (255)");

    // In pieces: memory grows with the size of the file, not with the size in its header.
    const size_t bytes = size_t{3} * picture.width * picture.height;
    constexpr size_t piece = size_t{4} << 20;
    while (picture.rgb.size() < bytes) {
        const size_t have = picture.rgb.size();
        const size_t want = std::min(piece, bytes - have);
        picture.rgb.resize(have + want);
        in.read(reinterpret_cast<char*>(picture.rgb.data() + have),
                static_cast<std::streamsize>(want));
        if (static_cast<size_t>(in.gcount()) != want)
            fail(path, "ends after " + std::to_string(have + static_cast<size_t>(in.gcount())) +
                           " of the " + std::to_string(bytes) + " bytes that " + size +
                           " pixels take");
    }
    return picture;
}

void write_ppm(const std::filesystem::path& path, const PpmPicture& picture) {
    const size_t bytes = size_t{3} * picture.width * picture.height;
    if (bytes == 0 || picture.rgb.size() != bytes)
        fail(path, "not written: a picture of " + std::to_string(picture.width) + "x" +
                       std::to_string(picture.height) + " cannot have " +
                       std::to_string(picture.rgb.size()) + " bytes");
    NewFile file(path);
    file.write("P6\n" + std::to_string(picture.width) + " " + std::to_string(picture.height) +
               "\n255\n");
    file.write(std::as_bytes(std::span(picture.rgb)));
    file.finish();
}

}  // namespace saccade
