#include "app/inspect/lettering.h"

#include "app/draw/text_layout.h"

namespace saccade {

namespace {

constexpr uint32_t atlas_side = 2048;

// The two signed 16-bit halves of a packed glyph coordinate.
cv::Point halves(uint32_t word) {
    return {static_cast<int16_t>(word & 0xffffu), static_cast<int16_t>(word >> 16)};
}

}  // namespace

Lettering::Lettering()
    : atlas_(size_t(atlas_side) * atlas_side), font_(find_dejavu(), {atlas_, atlas_side}) {}

void Lettering::write(cv::Mat& bgr, std::string_view text, cv::Point at, uint32_t pixels,
                      uint32_t colour, Align align) {
    const Font::Line line = font_.lay_out(text, pixels);
    const int width = static_cast<int>(line.width);
    at.x -= align == Align::left ? 0 : align == Align::right ? width : width / 2;
    const cv::Rect page({}, bgr.size());
    for (const params::Glyph& glyph : line.glyphs) {
        const cv::Point place = at + halves(glyph.place), source = halves(glyph.source);
        const cv::Point size = halves(glyph.size);
        for (int row = 0; row < size.y; ++row)
            for (int column = 0; column < size.x; ++column) {
                const cv::Point to = place + cv::Point(column, row);
                if (!page.contains(to)) continue;
                const size_t from = size_t(source.y + row) * atlas_side + size_t(source.x + column);
                const int share = std::to_integer<int>(atlas_[from]);
                auto& pixel = bgr.at<cv::Vec3b>(to);
                for (int channel = 0; channel < 3; ++channel) {
                    const int ink = static_cast<int>(colour >> (16 - 8 * channel) & 0xffu);
                    pixel[channel] = static_cast<uint8_t>(
                        (pixel[channel] * (255 - share) + ink * share + 127) / 255);
                }
            }
    }
}

int Lettering::width(std::string_view text, uint32_t pixels) {
    return static_cast<int>(font_.lay_out(text, pixels).width);
}

int Lettering::line_height(uint32_t pixels) { return static_cast<int>(font_.height(pixels).line); }

std::string Lettering::fitting(const std::string& text, uint32_t pixels, int width) {
    if (this->width(text, pixels) <= width) return text;
    std::string cut = text;
    while (!cut.empty() && this->width(cut + "…", pixels) > width) {
        while ((static_cast<uint8_t>(cut.back()) & 0xc0u) == 0x80u && cut.size() > 1)
            cut.pop_back();  // continuation bytes of UTF-8
        cut.pop_back();
    }
    return cut + "…";
}

std::vector<std::string> Lettering::wrapped(const std::string& text, uint32_t pixels, int width) {
    std::vector<std::string> lines;
    for (const TextLayout::Word& word : words_of(text)) {
        const std::string longer = lines.empty() ? word.text : lines.back() + " " + word.text;
        if (lines.empty() || word.new_line || this->width(longer, pixels) > width)
            lines.push_back(fitting(word.text, pixels, width));
        else
            lines.back() = longer;
    }
    return lines;
}

}  // namespace saccade
