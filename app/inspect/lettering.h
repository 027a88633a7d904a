#pragma once

#include <opencv2/core.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "app/draw/font.h"

namespace saccade {

// Draws text on pictures in the CPU's memory, in the font of the frames' labels.
class Lettering {
public:
    Lettering();

    enum class Align { left, centre, right };
    // Draws a line whose top is at y; x is its left end, its centre or its right end.
    void write(cv::Mat& bgr, std::string_view text, cv::Point at, uint32_t pixels, uint32_t colour,
               Align align = Align::left);

    int width(std::string_view text, uint32_t pixels);
    int line_height(uint32_t pixels);
    // The text, cut with an ellipsis to fit the width.
    std::string fitting(const std::string& text, uint32_t pixels, int width);
    // The text, wrapped between words to fit the width.
    std::vector<std::string> wrapped(const std::string& text, uint32_t pixels, int width);

private:
    std::vector<std::byte> atlas_;
    Font font_;
};

}  // namespace saccade
