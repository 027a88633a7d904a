#include "app/inspect/figure.h"

#include <algorithm>

#include "app/draw/colour.h"
#include "app/draw/heat_map.h"
#include "gpu/core/error.h"

namespace saccade {

namespace {

constexpr int margin = 48, gap = 20, least_width = 900;
constexpr uint32_t title_pixels = 36, subtitle_pixels = 24, text_pixels = 22, note_pixels = 18;
constexpr uint32_t ink = rgba(24, 24, 27), soft_ink = rgba(95, 95, 102);
constexpr int most_room = 380;  // pixels for the texts of a narrow picture
const cv::Size legend_bar(360, 24);

// Wrapped lines of one font size.
struct Paragraph {
    Paragraph(Lettering& lettering, const std::string& text, uint32_t size, uint32_t its_colour,
              int width)
        : lines(lettering.wrapped(text, size, width)),
          pixels(size),
          colour(its_colour),
          line(lettering.line_height(size)) {}
    int height() const { return static_cast<int>(lines.size()) * line; }
    void write(Lettering& lettering, cv::Mat& page, cv::Point at) const {
        for (const std::string& text : lines) {
            lettering.write(page, text, at, pixels, colour);
            at.y += line;
        }
    }
    std::vector<std::string> lines;
    uint32_t pixels, colour;
    int line;
};

// Lays out and draws the tiles with their headings and notes.
class Grid {
public:
    Grid(const Sheet& sheet, Lettering& lettering)
        : sheet_(sheet), lettering_(lettering), tile_(sheet.tiles.front().picture.size()) {
        auto any = [&](std::string Sheet::Tile::*text) {
            return std::ranges::any_of(sheet.tiles,
                                       [&](const auto& t) { return !(t.*text).empty(); });
        };
        if (any(&Sheet::Tile::heading)) heading_ = lettering.line_height(text_pixels) + 2;
        if (any(&Sheet::Tile::note)) note_ = lettering.line_height(note_pixels) + 2;
        if (!sheet.columns.empty()) top_ = lettering.line_height(text_pixels) + 6;
        for (const std::string& row : sheet.rows)
            left_ = std::max(left_, lettering.width(row, text_pixels) + gap);
        // The texts of narrow pictures may be wider than the pictures.
        int widest = 0;
        auto ask = [&](const std::string& text, uint32_t pixels) {
            widest = std::max(widest, lettering.width(text, pixels));
        };
        for (const std::string& column : sheet.columns) ask(column, text_pixels);
        for (const Sheet::Tile& tile : sheet.tiles) {
            ask(tile.heading, text_pixels);
            ask(tile.note, note_pixels);
        }
        room_ = std::max(tile_.width, std::min(widest, most_room));
        pitch_ = {room_ + gap, heading_ + tile_.height + note_ + gap};
    }
    cv::Size size() const {
        const int across = static_cast<int>(sheet_.across);
        const int down = (static_cast<int>(sheet_.tiles.size()) + across - 1) / across;
        return {left_ + across * pitch_.width - gap, top_ + down * pitch_.height - gap};
    }
    void draw(cv::Mat& page, cv::Point at) const {
        using Align = Lettering::Align;
        for (int i = 0; i < static_cast<int>(sheet_.columns.size()); ++i)
            lettering_.write(page, fitting(sheet_.columns[size_t(i)], text_pixels),
                             {at.x + left_ + i * pitch_.width + room_ / 2, at.y}, text_pixels, ink,
                             Align::centre);
        const int middle = heading_ + (tile_.height - lettering_.line_height(text_pixels)) / 2;
        for (int i = 0; i < static_cast<int>(sheet_.rows.size()); ++i)
            lettering_.write(page, sheet_.rows[size_t(i)],
                             {at.x + left_ - gap, at.y + top_ + i * pitch_.height + middle},
                             text_pixels, ink, Align::right);
        for (size_t i = 0; i < sheet_.tiles.size(); ++i) {
            const Sheet::Tile& tile = sheet_.tiles[i];
            const cv::Point corner(
                at.x + left_ + static_cast<int>(i % sheet_.across) * pitch_.width,
                at.y + top_ + static_cast<int>(i / sheet_.across) * pitch_.height);
            const cv::Rect place({corner.x + (room_ - tile_.width) / 2, corner.y + heading_},
                                 tile_);
            write(page, tile.heading, corner, text_pixels, ink);
            tile.picture.copyTo(page(place));
            write(page, tile.note, {corner.x, place.br().y + 2}, note_pixels, soft_ink);
        }
    }

private:
    // Aligned with the left edge of a picture; centred if the picture is narrower than its room.
    void write(cv::Mat& page, const std::string& text, cv::Point at, uint32_t pixels,
               uint32_t colour) const {
        const bool narrow = room_ > tile_.width;
        if (narrow) at.x += room_ / 2;
        lettering_.write(page, fitting(text, pixels), at, pixels, colour,
                         narrow ? Lettering::Align::centre : Lettering::Align::left);
    }
    std::string fitting(const std::string& text, uint32_t pixels) const {
        return lettering_.fitting(text, pixels, room_);
    }

    const Sheet& sheet_;
    Lettering& lettering_;
    cv::Size tile_, pitch_;
    int heading_ = 0, note_ = 0, left_ = 0, top_ = 0, room_ = 0;
};

}  // namespace

cv::Mat Sheet::draw(Lettering& lettering) const {
    if (tiles.empty()) throw Error("a sheet needs pictures");
    const Grid grid(*this, lettering);
    const int width = std::max(grid.size().width, least_width);
    const Paragraph heading(lettering, title, title_pixels, ink, width);
    const Paragraph below(lettering, subtitle, subtitle_pixels, soft_ink, width);
    const Paragraph meaning(lettering, legend_text, note_pixels, soft_ink,
                            width - legend_bar.width - 2 * gap);
    const int note_line = lettering.line_height(note_pixels);
    const int footer =
        legend == Legend::none
            ? 0
            : 2 * gap + std::max(legend_bar.height + 4 + note_line, meaning.height());
    const int header = heading.height() + below.height() + gap;

    cv::Mat page(2 * margin + header + grid.size().height + footer, 2 * margin + width, CV_8UC3,
                 cv::Scalar::all(255));
    heading.write(lettering, page, {margin, margin});
    below.write(lettering, page, {margin, margin + heading.height()});
    grid.draw(page, {margin, margin + header});
    if (legend == Legend::none) return page;

    const cv::Point bar(margin, margin + header + grid.size().height + 2 * gap);
    heat_legend(legend_bar, legend == Legend::over_pictures)
        .copyTo(page(cv::Rect(bar, legend_bar)));
    const int labels = bar.y + legend_bar.height + 4;
    lettering.write(page, low, {margin, labels}, note_pixels, ink);
    lettering.write(page, high, {margin + legend_bar.width, labels}, note_pixels, ink,
                    Lettering::Align::right);
    meaning.write(lettering, page, {margin + legend_bar.width + 2 * gap, bar.y});
    return page;
}

}  // namespace saccade
