#include "app/inspect/figure.h"

#include <gtest/gtest.h>

#include "gpu/core/error.h"

namespace saccade {
namespace {

cv::Rect inked(const cv::Mat& page) {
    cv::Rect all;
    for (int y = 0; y < page.rows; ++y)
        for (int x = 0; x < page.cols; ++x)
            if (page.at<cv::Vec3b>(y, x) != cv::Vec3b::all(255)) all |= cv::Rect(x, y, 1, 1);
    return all;
}

TEST(Lettering, aligns_a_line_at_its_point) {
    Lettering lettering;
    const int width = lettering.width("Saccade", 30), height = lettering.line_height(30);
    EXPECT_GT(width, 80);
    using Align = Lettering::Align;
    for (const auto& [align, left] : {std::pair{Align::left, 200},
                                      {Align::centre, 200 - width / 2},
                                      {Align::right, 200 - width}}) {
        cv::Mat page(100, 400, CV_8UC3, cv::Scalar::all(255));
        lettering.write(page, "Saccade", {200, 20}, 30, 0, align);
        const cv::Rect ink = inked(page);
        EXPECT_NEAR(ink.x, left, 4);
        EXPECT_NEAR(ink.br().x, left + width, 4);
        EXPECT_GE(ink.y, 20);
        EXPECT_LE(ink.br().y, 20 + height);
    }
    cv::Mat small(5, 5, CV_8UC3, cv::Scalar::all(255));
    lettering.write(small, "beyond the edges", {-3, -3}, 30, 0);
}

TEST(Lettering, cuts_and_wraps_text_to_what_fits) {
    Lettering lettering;
    EXPECT_EQ(lettering.fitting("short", 20, 500), "short");
    const std::string cut = lettering.fitting("größte Übereinstimmung", 20, 120);
    EXPECT_LE(lettering.width(cut, 20), 120);
    EXPECT_TRUE(cut.starts_with("grö") && cut.ends_with("…")) << cut;
    EXPECT_EQ(lettering.fitting("word", 20, 0), "…");
    const auto lines = lettering.wrapped("one two three four five six seven", 20, 120);
    EXPECT_GT(lines.size(), 2u);
    std::string all;
    for (const std::string& line : lines) {
        EXPECT_LE(lettering.width(line, 20), 120) << line;
        all += (all.empty() ? "" : " ") + line;
    }
    EXPECT_EQ(all, "one two three four five six seven");
}

TEST(Sheet, has_its_pictures_in_rows_and_white_margins) {
    Lettering lettering;
    Sheet sheet{.title = "A title", .subtitle = "and more"};
    sheet.across = 2;
    const cv::Mat blue(60, 500, CV_8UC3, cv::Scalar(255, 0, 0));
    sheet.tiles =
        std::vector<Sheet::Tile>(3, {.picture = blue, .heading = "heading", .note = "note"});
    auto blue_pixels = [](const cv::Mat& page) {
        int count = 0;
        for (int y = 0; y < page.rows; ++y)
            for (int x = 0; x < page.cols; ++x)
                count += page.at<cv::Vec3b>(y, x) == cv::Vec3b(255, 0, 0);
        return count;
    };
    const cv::Mat page = sheet.draw(lettering);
    EXPECT_EQ(blue_pixels(page), 3 * 60 * 500);
    const cv::Rect ink = inked(page);
    EXPECT_GE(ink.x, 48);
    EXPECT_GE(ink.y, 48);
    EXPECT_EQ(ink.br().x, page.cols - 48);
    EXPECT_LE(ink.br().y, page.rows - 48);

    sheet.legend = Sheet::Legend::alone;
    sheet.high = "largest";
    sheet.legend_text = "what it means";
    const cv::Mat with_legend = sheet.draw(lettering);
    EXPECT_GT(with_legend.rows, page.rows);
    EXPECT_EQ(blue_pixels(with_legend), 3 * 60 * 500) << "the legend covers no picture";
    EXPECT_LE(inked(with_legend).br().y, with_legend.rows - 48);
    // Texts may be wider than a narrow picture.
    sheet.tiles =
        std::vector<Sheet::Tile>(2, {.picture = cv::Mat::zeros(60, 5, CV_8UC3), .note = "a note"});
    sheet.across = 1;
    const int note = lettering.width("a note", 18);
    sheet.legend = Sheet::Legend::none;
    sheet.title = sheet.subtitle = "";
    EXPECT_NEAR(inked(sheet.draw(lettering)).width, note, 4);
    sheet.tiles.clear();
    EXPECT_THROW(sheet.draw(lettering), Error);
}

}  // namespace
}  // namespace saccade
