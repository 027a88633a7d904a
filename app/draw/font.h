#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "shaders/draw/params.h"

namespace saccade {

// Where DejaVu Sans is on this system; an Error that names the package where it is not.
std::filesystem::path find_dejavu();

// A glyph atlas: side x side bytes of coverage, with one glyph beside the other. Glyphs are only
// added, so the device may read the atlas meanwhile.
struct AtlasArea {
    std::span<std::byte> bytes;
    uint32_t side = 0;
};

// Lays out UTF-8 text in one font, in any pixel size. A glyph is rasterised into the atlas when a
// text first needs it. A character that the font lacks is drawn as its replacement box.
class Font {
public:
    Font(const std::filesystem::path& file, AtlasArea atlas);
    ~Font();
    Font(const Font&) = delete;
    Font& operator=(const Font&) = delete;

    // Pixels from the top of a line to its baseline, and to its bottom.
    struct Height {
        uint32_t ascent = 0, line = 0;
    };
    Height height(uint32_t pixels);

    // A line of text with its top left corner at (0, 0). Control characters are left out.
    struct Line {
        std::vector<params::Glyph> glyphs;
        uint32_t width = 0;
    };
    Line lay_out(std::string_view utf8, uint32_t pixels);

private:
    struct Face;  // FreeType's
    struct Rasterised {
        uint32_t source = 0, size = 0;  // as in params::Glyph
        int left = 0, top = 0;          // from the pen to the upper left corner, up is positive
        int advance = 0;
    };
    const Rasterised& rasterised(uint32_t index, uint32_t pixels);
    // A free place in the atlas; none when it is full.
    bool place(uint32_t width, uint32_t height, uint32_t& x, uint32_t& y);

    std::unique_ptr<Face> face_;
    AtlasArea atlas_;
    uint32_t shelf_x_ = 0, shelf_y_ = 0, shelf_height_ = 0;       // glyphs stand on shelves
    std::map<std::pair<uint32_t, uint32_t>, Rasterised> glyphs_;  // by size and index in the font
};

}  // namespace saccade
