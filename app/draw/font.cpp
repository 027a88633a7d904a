#include "app/draw/font.h"

#include <ft2build.h>
#include FT_FREETYPE_H

#include <algorithm>
#include <cstring>

#include "gpu/core/error.h"
#include "models/text/unicode.h"

namespace saccade {

namespace {

// FreeType measures in 64ths of a pixel.
int whole_pixels(FT_Pos length) { return static_cast<int>((length + 32) >> 6); }

uint32_t halves(int low, int high) {
    return (static_cast<uint32_t>(low) & 0xffff) | static_cast<uint32_t>(high) << 16;
}

}  // namespace

std::filesystem::path find_dejavu() {
    for (const char* share : {"/usr/local/share/fonts", "/usr/share/fonts"})
        for (const char* folder : {"truetype/dejavu", "dejavu", "dejavu-sans-fonts", "TTF"}) {
            const std::filesystem::path file =
                std::filesystem::path(share) / folder / "DejaVuSans.ttf";
            if (std::filesystem::is_regular_file(file)) return file;
        }
    throw Error("the font DejaVu Sans is missing: install the package fonts-dejavu-core");
}

struct Font::Face {
    ~Face() {
        if (face) FT_Done_Face(face);
        if (library) FT_Done_FreeType(library);
    }
    void set_size(uint32_t pixels) {
        if (pixels == size) return;
        if (FT_Set_Pixel_Sizes(face, 0, pixels))
            throw Error("text cannot be " + std::to_string(pixels) + " pixels high");
        size = pixels;
    }
    FT_Library library = nullptr;
    FT_Face face = nullptr;
    uint32_t size = 0;
};

Font::Font(const std::filesystem::path& file, AtlasArea atlas)
    : face_(std::make_unique<Face>()), atlas_(atlas) {
    if (atlas.bytes.size() < size_t(atlas.side) * atlas.side || atlas.side >= 1u << 16)
        throw Error("a glyph atlas of " + std::to_string(atlas.side) + " pixels is not all there");
    if (FT_Init_FreeType(&face_->library)) throw Error("FreeType does not start");
    if (FT_New_Face(face_->library, file.c_str(), 0, &face_->face) || !FT_IS_SCALABLE(face_->face))
        throw Error("'" + file.string() +
                    "' is not a font that FreeType can scale: reinstall fonts-dejavu-core");
}

Font::~Font() = default;

Font::Height Font::height(uint32_t pixels) {
    face_->set_size(pixels);
    const FT_Size_Metrics& metrics = face_->face->size->metrics;
    const int ascent = static_cast<int>((metrics.ascender + 63) >> 6);
    const int descent = static_cast<int>((63 - metrics.descender) >> 6);
    return {static_cast<uint32_t>(ascent), static_cast<uint32_t>(ascent + descent)};
}

Font::Line Font::lay_out(std::string_view utf8, uint32_t pixels) {
    const std::string text = valid_utf8(utf8);
    const int ascent = static_cast<int>(height(pixels).ascent);
    const bool kerned = FT_HAS_KERNING(face_->face);
    rasterised(0, pixels);  // the box of what is unknown, while there is room
    Line line;
    int pen = 0;
    uint32_t before = 0;
    for (size_t at = 0; at < text.size();) {
        const char32_t character = next_character(text, at);
        if (is_other(character)) continue;
        const uint32_t index = FT_Get_Char_Index(face_->face, character);
        const Rasterised& glyph = rasterised(index, pixels);
        FT_Vector kerning{};
        if (kerned && before && index)
            FT_Get_Kerning(face_->face, before, index, FT_KERNING_DEFAULT, &kerning);
        pen += whole_pixels(kerning.x);
        if (glyph.size)
            line.glyphs.push_back(
                {halves(pen + glyph.left, ascent - glyph.top), glyph.source, glyph.size, 0});
        pen += glyph.advance;
        before = index;
    }
    line.width = static_cast<uint32_t>(std::max(pen, 0));
    return line;
}

const Font::Rasterised& Font::rasterised(uint32_t index, uint32_t pixels) {
    const auto [found, fresh] = glyphs_.try_emplace({pixels, index});
    Rasterised& glyph = found->second;
    if (!fresh) return glyph;
    face_->set_size(pixels);
    // Hinted vertically only: letters keep their widths, and lines of text an even weight.
    if (FT_Load_Glyph(face_->face, index, FT_LOAD_RENDER | FT_LOAD_TARGET_LIGHT)) return glyph;
    const FT_GlyphSlot slot = face_->face->glyph;
    const FT_Bitmap& bitmap = slot->bitmap;
    glyph.advance = whole_pixels(slot->advance.x);
    uint32_t x = 0, y = 0;
    if (bitmap.width == 0 || bitmap.rows == 0) return glyph;
    if (!place(bitmap.width, bitmap.rows, x, y)) {
        if (index) glyph = rasterised(0, pixels);
        return glyph;
    }
    for (uint32_t row = 0; row < bitmap.rows; ++row)
        std::memcpy(&atlas_.bytes[size_t(y + row) * atlas_.side + x],
                    bitmap.buffer + std::ptrdiff_t(row) * bitmap.pitch, bitmap.width);
    glyph.source = halves(static_cast<int>(x), static_cast<int>(y));
    glyph.size = halves(static_cast<int>(bitmap.width), static_cast<int>(bitmap.rows));
    glyph.left = slot->bitmap_left;
    glyph.top = slot->bitmap_top;
    return glyph;
}

bool Font::place(uint32_t width, uint32_t height, uint32_t& x, uint32_t& y) {
    if (shelf_x_ + width > atlas_.side) {
        shelf_y_ += shelf_height_;
        shelf_x_ = shelf_height_ = 0;
    }
    if (width > atlas_.side || shelf_y_ + height > atlas_.side) return false;
    x = shelf_x_;
    y = shelf_y_;
    shelf_x_ += width;
    shelf_height_ = std::max(shelf_height_, height);
    return true;
}

}  // namespace saccade
