#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "app/draw/font.h"
#include "gpu/core/geometry.h"
#include "gpu/ops/draw.h"

namespace saccade {

// Texts as draw_plates takes them: runs of glyphs, and plates to lie on.
class TextLayout {
public:
    explicit TextLayout(Font& font) : font_(font) {}

    // A line by itself; returns the number of its run.
    uint32_t add_line(std::string_view text, uint32_t pixels, uint32_t colour);

    void add_plate(const Rectangle& place, uint32_t fill);
    void add_frame(const Rectangle& place, uint32_t colour, float width);

    struct Word {
        std::string text;
        uint32_t ink = 0;  // 0: as all others
        bool new_line = false;
        bool operator==(const Word&) const = default;
    };
    struct Block {
        Rectangle area;     // that it lies in, and is wrapped to
        glm::vec2 align{};  // where in it: 0 left or top, 0.5 in the middle, 1 right or bottom
        uint32_t pixels = 14;
        uint32_t fill = 0, ink = 0;
        uint32_t most_lines = UINT32_MAX;  // only the last ones are kept
    };
    // The plate of words in one line, which a block of that size does not break.
    glm::vec2 line_size(const std::vector<Word>& words, uint32_t pixels);
    // Words on a plate. Returns where each lies; one of a line that was dropped has no area.
    std::vector<Rectangle> add_block(const std::vector<Word>& words, const Block& block);

    // The plates from the first on, as many as this, lie on top of all others.
    void raise(size_t plates);
    void clear();
    // Keeps at most this many of each; a text may lose its end.
    void cut(uint32_t plates, uint32_t glyphs);
    const std::vector<params::Run>& runs() const { return runs_; }
    const std::vector<params::Glyph>& glyphs() const { return glyphs_; }
    const std::vector<params::Plate>& plates() const { return plates_; }

private:
    Font& font_;
    std::vector<params::Run> runs_;
    std::vector<params::Glyph> glyphs_;
    std::vector<params::Plate> plates_;
};

// The words of a text, with the line breaks that it has.
std::vector<TextLayout::Word> words_of(std::string_view text);

}  // namespace saccade
