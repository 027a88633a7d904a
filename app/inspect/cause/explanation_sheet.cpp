#include "app/inspect/cause/explanation_sheet.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <opencv2/imgproc.hpp>

#include "app/draw/colour.h"
#include "app/draw/heat_map.h"
#include "app/draw/signed_map.h"
#include "app/inspect/figure.h"

namespace saccade {

namespace {

constexpr int tile_side = 420;  // the longer side of the sheet's pictures
constexpr double strongest = 0.85, dimmed = 0.6;
constexpr uint32_t pale_ink = rgba(95, 95, 102);
constexpr uint32_t small_text = 16;

cv::Scalar scalar(uint32_t colour) {
    const auto rgb = channels_of(colour);
    return {double(rgb.b), double(rgb.g), double(rgb.r)};
}

cv::Vec3b over(const cv::Vec3b& below, uint32_t colour, double share) {
    const cv::Scalar above = scalar(colour);
    cv::Vec3b mixed;
    for (int k = 0; k < 3; ++k)
        mixed[k] = cv::saturate_cast<uint8_t>((1 - share) * below[k] + share * above[k]);
    return mixed;
}

// The methods' colours: cause, attention, rollout.
uint32_t method_colour(size_t index) {
    constexpr std::array<double, 3> hues = {30, 250, 150};
    return colour_from(0.6, 0.17, hues[index % hues.size()]);
}

// Pictures are drawn at the size of the sheet's tiles.
struct Tile {
    explicit Tile(const PictureView& picture) {
        const double scale = double(tile_side) / std::max(picture.width, picture.height);
        cv::resize(as_bgr(picture), pixels, {}, scale, scale,
                   scale < 1 ? cv::INTER_AREA : cv::INTER_LINEAR);
        x = double(pixels.cols) / picture.width;
        y = double(pixels.rows) / picture.height;
    }
    MapGeometry scaled(MapGeometry geometry) const {
        geometry.corner *= glm::vec2(x, y);
        geometry.cell *= glm::vec2(x, y);
        return geometry;
    }
    cv::Point pixel(glm::vec2 point) const {
        return {cvRound(double(point.x) * x), cvRound(double(point.y) * y)};
    }
    void mark(cv::Mat& tile, const Explanation& e) const {
        if (e.target.box) {
            const cv::Rect box(pixel(e.target.box->min), pixel(e.target.box->max));
            cv::rectangle(tile, box, cv::Scalar::all(0), 4, cv::LINE_AA);
            cv::rectangle(tile, box, cv::Scalar::all(255), 2, cv::LINE_AA);
        }
    }
    cv::Mat pixels;
    double x = 1, y = 1;
};

std::string number(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3g", value);
    return text;
}

}  // namespace

cv::Mat with_effects(const PictureView& picture, const std::vector<float>& cells,
                     const MapGeometry& geometry) {
    cv::Mat result = as_bgr(picture).clone();
    const float most = largest_effect(cells);
    for (int y = 0; y < result.rows; ++y)
        for (int x = 0; x < result.cols; ++x) {
            const glm::vec2 at =
                (glm::vec2(float(x), float(y)) + 0.5f - geometry.corner) / geometry.cell;
            auto& pixel = result.at<cv::Vec3b>(y, x);
            const cv::Vec3b below = over(pixel, rgba(0, 0, 0), 1 - dimmed);
            if (at.x < 0 || at.y < 0 || at.x >= float(geometry.grid.x) ||
                at.y >= float(geometry.grid.y) || most <= 0) {
                pixel = below;
                continue;
            }
            const auto cell =
                static_cast<uint32_t>(at.y) * geometry.grid.x + static_cast<uint32_t>(at.x);
            const uint32_t colour = effect_colour(double(cells[cell] / most));
            pixel = over(below, colour, strongest * channels_of(colour).a / 255.0);
        }
    return result;
}

cv::Mat head_table(const std::vector<std::vector<float>>& heads, cv::Size size,
                   Lettering& lettering) {
    cv::Mat page(size, CV_8UC3, cv::Scalar::all(255));
    const int left = 48, top = 28;
    if (heads.empty()) {
        lettering.write(page, "no heads that can be switched off", {0, top}, small_text, pale_ink);
        return page;
    }
    float most = 0;
    size_t across = 0;
    for (const std::vector<float>& layer : heads) {
        most = std::max(most, largest_effect(layer));
        across = std::max(across, layer.size());
    }
    const int width = (size.width - left) / static_cast<int>(across);
    const int height = (size.height - top) / static_cast<int>(heads.size());
    const cv::Vec3b paper(238, 238, 238);
    for (size_t layer = 0; layer < heads.size(); ++layer) {
        const int y = top + static_cast<int>(layer) * height;
        if (height >= lettering.line_height(small_text) || layer % 4 == 0)
            lettering.write(
                page, std::to_string(layer),
                {left - 10, y + std::max(0, (height - lettering.line_height(small_text)) / 2)},
                small_text, pale_ink, Lettering::Align::right);
        for (size_t head = 0; head < heads[layer].size(); ++head) {
            const uint32_t colour = effect_colour(most > 0 ? double(heads[layer][head] / most) : 0);
            const cv::Vec3b fill = over(paper, colour, channels_of(colour).a / 255.0);
            const cv::Rect cell(left + static_cast<int>(head) * width, y, width - 2, height - 2);
            cv::rectangle(page, cell, cv::Scalar(fill[0], fill[1], fill[2]), cv::FILLED);
        }
    }
    for (size_t head = 0; head < across; ++head)
        lettering.write(page, std::to_string(head),
                        {left + static_cast<int>(head) * width + width / 2, 4}, small_text,
                        pale_ink, Lettering::Align::centre);
    return page;
}

cv::Mat curves_chart(const Meter& meter, bool deletion, cv::Size size, Lettering& lettering) {
    cv::Mat page(size, CV_8UC3, cv::Scalar::all(255));
    const auto curve_of = [&](const Curves& curves) -> const std::vector<double>& {
        return deletion ? curves.deletion : curves.insertion;
    };
    double most = 1e-9;
    for (const Meter::Method& method : meter.methods)
        for (const double score : curve_of(method.curves)) most = std::max(most, score);
    for (const Curves& one : meter.random)
        for (const double score : curve_of(one)) most = std::max(most, score);
    const cv::Rect plot(56, 12, size.width - 68, size.height - 44);
    const auto at = [&](size_t i, double score, size_t points) {
        return cv::Point(
            plot.x + static_cast<int>(double(plot.width) * double(i) / double(points - 1)),
            plot.br().y - static_cast<int>(plot.height * score / most));
    };
    const auto draw = [&](const std::vector<double>& curve, const cv::Scalar& colour, int thick) {
        for (size_t i = 1; i < curve.size(); ++i)
            cv::line(page, at(i - 1, curve[i - 1], curve.size()), at(i, curve[i], curve.size()),
                     colour, thick, cv::LINE_AA);
    };
    for (const Curves& one : meter.random) draw(curve_of(one), cv::Scalar::all(205), 1);
    for (size_t i = meter.methods.size(); i-- > 0;)
        draw(curve_of(meter.methods[i].curves), scalar(method_colour(i)), i == 0 ? 3 : 2);
    cv::line(page, plot.tl(), {plot.x, plot.br().y}, cv::Scalar::all(120), 1);
    cv::line(page, {plot.x, plot.br().y}, plot.br(), cv::Scalar::all(120), 1);
    using Align = Lettering::Align;
    lettering.write(page, number(most), {plot.x - 6, plot.y}, small_text, pale_ink, Align::right);
    lettering.write(page, "0", {plot.x - 6, plot.br().y - 14}, small_text, pale_ink, Align::right);
    lettering.write(page, "0 %", {plot.x, plot.br().y + 6}, small_text, pale_ink);
    lettering.write(page, "100 %", {plot.br().x, plot.br().y + 6}, small_text, pale_ink,
                    Align::right);
    lettering.write(page, deletion ? "of the cells knocked out" : "of the cells put back",
                    {plot.x + plot.width / 2, plot.br().y + 6}, small_text, pale_ink,
                    Align::centre);
    int line = plot.y + 2;
    for (size_t i = 0; i < meter.methods.size(); ++i) {
        const Meter::Method& method = meter.methods[i];
        const double area =
            deletion ? method.curves.deletion_area() : method.curves.insertion_area();
        lettering.write(page, method.name + " " + number(area),
                        {deletion ? plot.br().x : plot.x + 12, line}, small_text, method_colour(i),
                        deletion ? Align::right : Align::left);
        line += lettering.line_height(small_text);
    }
    const Meter::Spread spread = deletion ? meter.random_deletion() : meter.random_insertion();
    lettering.write(page, "random " + number(spread.mean) + " ± " + number(spread.deviation),
                    {deletion ? plot.br().x : plot.x + 12, line}, small_text, pale_ink,
                    deletion ? Align::right : Align::left);
    return page;
}

cv::Mat explanation_sheet(const std::string& name, const PictureView& picture, const Explanation& e,
                          Lettering& lettering) {
    const Tile tile(picture);
    Sheet sheet;
    char score[32];
    std::snprintf(score, sizeof score, "%.1f %%", 100 * e.target.score);
    sheet.title = "What “" + e.target.label + "” needs";
    sheet.subtitle = name + ": " + e.target.kind + ", " + score +
                     (e.text.empty() ? "" : ", of “" + e.text + "”") + ". " +
                     std::to_string(e.knock_outs) + " knock-outs; an effect below " +
                     number(e.noise) +
                     " is noise. Warm: the target needs it. Blue: it holds the target back.";
    cv::Mat plain = tile.pixels.clone();
    tile.mark(plain, e);
    cv::Mat cause = with_effects(view_of(tile.pixels), e.cause, tile.scaled(e.geometry));
    cv::drawMarker(cause, tile.pixel(e.peak), cv::Scalar::all(0), cv::MARKER_CROSS, 18, 4);
    cv::drawMarker(cause, tile.pixel(e.peak), cv::Scalar::all(255), cv::MARKER_CROSS, 18, 2);
    const float most = largest_effect(e.cause);
    sheet.tiles.push_back({plain, "picture", ""});
    sheet.tiles.push_back({cause, "cause", "strongest: " + number(double(most)) + " " + e.unit});
    for (size_t i = 0; i < e.others.size(); ++i)
        sheet.tiles.push_back(
            {with_heat(view_of(tile.pixels), e.others[i].cells, tile.scaled(e.geometry)),
             e.others[i].name, ""});
    const cv::Size size = tile.pixels.size();
    const size_t maps = sheet.tiles.size();
    sheet.across = std::max<size_t>(maps, 3);
    if (e.meter.methods.empty()) return sheet.draw(lettering);  // only the map was wanted
    float strongest_head = 0;
    for (const std::vector<float>& layer : e.heads)
        strongest_head = std::max(strongest_head, largest_effect(layer));
    sheet.tiles.push_back(
        {head_table(e.heads, size, lettering), "heads: layers down",
         e.heads.empty() ? "" : "strongest: " + number(double(strongest_head)) + " " + e.unit});
    sheet.tiles.push_back(
        {curves_chart(e.meter, true, size, lettering), "score while cells go", ""});
    sheet.tiles.push_back(
        {curves_chart(e.meter, false, size, lettering), "score while cells return", ""});
    // The heads begin the second row.
    const cv::Mat blank(size, CV_8UC3, cv::Scalar::all(255));
    while (maps < sheet.across && sheet.tiles.size() < sheet.across + 3)
        sheet.tiles.insert(sheet.tiles.begin() + std::ptrdiff_t(maps), {blank, "", ""});
    for (const Meter::Method& method : e.meter.methods)
        sheet.subtitle += "\n" + method.name + ": " + e.meter.in_words(method) + ".";
    return sheet.draw(lettering);
}

}  // namespace saccade
