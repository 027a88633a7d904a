#include "app/draw/text_layout.h"

#include <algorithm>
#include <glm/common.hpp>

namespace saccade {

namespace {

// The margin between the sides of a plate and its text.
uint32_t margin_of(uint32_t pixels) { return pixels / 2; }

// A glyph's place is packed into one word: two signed 16-bit numbers.
uint32_t moved(uint32_t place, uint32_t x, uint32_t y) {
    return ((place + x) & 0xffffu) | ((place & 0xffff0000u) + (y << 16));
}

}  // namespace

uint32_t TextLayout::add_line(std::string_view text, uint32_t pixels, uint32_t colour) {
    const Font::Line line = font_.lay_out(text, pixels);
    const auto first = static_cast<uint32_t>(glyphs_.size());
    glyphs_.insert(glyphs_.end(), line.glyphs.begin(), line.glyphs.end());
    runs_.push_back({first, static_cast<uint32_t>(line.glyphs.size()), line.width, colour});
    return static_cast<uint32_t>(runs_.size() - 1);
}

void TextLayout::add_plate(const Rectangle& place, uint32_t fill) {
    params::Plate plate{};
    plate.left = place.min.x;
    plate.top = place.min.y;
    plate.right = place.max.x;
    plate.bottom = place.max.y;
    plate.fill = fill;
    plate.run = params::no_run;
    plates_.push_back(plate);
}

void TextLayout::add_frame(const Rectangle& place, uint32_t colour, float width) {
    add_plate(place, 0);
    plates_.back().frame = colour;
    plates_.back().frame_width = width;
}

glm::vec2 TextLayout::line_size(const std::vector<Word>& words, uint32_t pixels) {
    const uint32_t space = font_.lay_out(" ", pixels).width, margin = margin_of(pixels);
    uint32_t width = 0;
    for (const Word& word : words)
        width += font_.lay_out(word.text, pixels).width + (width > 0 ? space : 0);
    return glm::vec2(Size(width + 2 * margin + 1, font_.height(pixels).line + margin));
}

std::vector<Rectangle> TextLayout::add_block(const std::vector<Word>& words, const Block& block) {
    if (words.empty()) return {};
    const uint32_t line_height = font_.height(block.pixels).line;
    const uint32_t space = font_.lay_out(" ", block.pixels).width;
    const uint32_t margin = margin_of(block.pixels);
    const float room = block.area.size().x - 2 * static_cast<float>(margin);

    // Words into lines.
    struct Placed {
        Font::Line glyphs;
        uint32_t line, x;
    };
    std::vector<Placed> placed;
    std::vector<uint32_t> widths = {0};
    for (const Word& word : words) {
        Font::Line glyphs = font_.lay_out(word.text, block.pixels);
        const uint32_t x = widths.back() ? widths.back() + space : 0;
        const bool wraps = widths.back() && static_cast<float>(x + glyphs.width) > room;
        if (!placed.empty() && (word.new_line || wraps)) widths.push_back(0);
        const uint32_t at = widths.back() ? x : 0;
        widths.back() = at + glyphs.width;
        placed.push_back({std::move(glyphs), static_cast<uint32_t>(widths.size() - 1), at});
    }
    const auto all_lines = static_cast<uint32_t>(widths.size());
    const uint32_t dropped = all_lines - std::min(all_lines, block.most_lines);
    const uint32_t width = *std::max_element(widths.begin() + dropped, widths.end());

    // The plate, limited to the area, and the text on it.
    const glm::vec2 size(Size(width + 2 * margin, (all_lines - dropped) * line_height + margin));
    const glm::vec2 slack_around = glm::max(block.area.size() - size, 0.0f);
    const glm::vec2 corner = glm::floor(block.area.min + slack_around * block.align);
    const glm::vec2 end = glm::min(corner + size, block.area.max);
    const glm::ivec2 text = glm::ivec2(corner) + glm::ivec2(margin, margin / 2);
    const auto first = static_cast<uint32_t>(glyphs_.size());

    std::vector<Rectangle> where;
    for (size_t i = 0; i < words.size(); ++i) {
        const Placed& word = placed[i];
        if (word.line < dropped) {
            where.push_back({});
            continue;
        }
        const auto slack = static_cast<float>(width - widths[word.line]);
        const uint32_t x = word.x + static_cast<uint32_t>(block.align.x * slack);
        const uint32_t y = (word.line - dropped) * line_height;
        for (params::Glyph glyph : word.glyphs.glyphs) {
            glyph.place = moved(glyph.place, x, y);
            glyph.ink = words[i].ink;
            glyphs_.push_back(glyph);
        }
        const glm::vec2 at(text + glm::ivec2(x, y));
        where.push_back({at, at + glm::vec2(word.glyphs.width, line_height)});
    }
    plates_.push_back({.left = corner.x,
                       .top = corner.y,
                       .right = end.x,
                       .bottom = end.y,
                       .fill = block.fill,
                       .frame = 0,
                       .ink = block.ink,
                       .frame_width = 0,
                       .radius = static_cast<float>(margin) * 0.75f,
                       .run = static_cast<uint32_t>(runs_.size()),
                       .text_x = text.x,
                       .text_y = text.y});
    runs_.push_back({first, static_cast<uint32_t>(glyphs_.size()) - first, width, 0});
    return where;
}

void TextLayout::raise(size_t plates) {
    const auto first = std::min(plates, plates_.size());
    std::rotate(plates_.begin(), plates_.begin() + static_cast<std::ptrdiff_t>(first),
                plates_.end());
}

void TextLayout::clear() {
    runs_.clear();
    glyphs_.clear();
    plates_.clear();
}

void TextLayout::cut(uint32_t plates, uint32_t glyphs) {
    plates_.resize(std::min<size_t>(plates_.size(), plates));
    runs_.resize(std::min<size_t>(runs_.size(), plates));
    glyphs_.resize(std::min<size_t>(glyphs_.size(), glyphs));
    for (params::Run& run : runs_) {
        run.first = std::min(run.first, glyphs);
        run.count = std::min(run.count, glyphs - run.first);
    }
}

std::vector<TextLayout::Word> words_of(std::string_view text) {
    std::vector<TextLayout::Word> words;
    bool new_line = false;
    for (size_t begin = 0; begin <= text.size();) {
        const size_t end = std::min(text.find_first_of(" \n", begin), text.size());
        const std::string_view word = text.substr(begin, end - begin);
        const bool line_ends = end < text.size() && text[end] == '\n';
        if (!word.empty() || line_ends) {
            words.push_back({std::string(word), 0, new_line});
            new_line = line_ends;
        }
        begin = end + 1;
    }
    return words;
}

}  // namespace saccade
