#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "app/draw/font.h"
#include "gpu/core/geometry.h"
#include "gpu/ops/draw.h"

namespace saccade {

// Lays out texts for draw_plates: runs of glyphs, and the plates below them.
class TextLayout {
public:
    explicit TextLayout(Font& font) : font_(font) {}

    // Adds a line without a plate; returns the number of its run.
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
        Rectangle area;     // words are wrapped to its width
        glm::vec2 align{};  // place in the area: 0 left or top, 0.5 the middle, 1 right or bottom
        uint32_t pixels = 14;
        uint32_t fill = 0, ink = 0;
        uint32_t most_lines = UINT32_MAX;  // of more lines, the first are dropped
    };
    // The size of the plate for these words in one line.
    glm::vec2 line_size(const std::vector<Word>& words, uint32_t pixels);
    // Adds words on a plate. Returns where each lies; words of dropped lines have an empty area.
    std::vector<Rectangle> add_block(const std::vector<Word>& words, const Block& block);

    // Moves the first `plates` plates on top of all others.
    void raise(size_t plates);
    void clear();
    // Keeps at most this many of each; the end of the last text may be lost.
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

// Splits a text into words; its line breaks are kept.
std::vector<TextLayout::Word> words_of(std::string_view text);

}  // namespace saccade
