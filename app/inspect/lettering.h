#pragma once

#include <opencv2/core.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "app/draw/font.h"

namespace saccade {

// Text on pictures that lie in the CPU's memory, in the font that frames are labelled with.
class Lettering {
public:
    Lettering();

    enum class Align { left, centre, right };
    // A line whose top is at y; x is its left end, its middle or its right end.
    void write(cv::Mat& bgr, std::string_view text, cv::Point at, uint32_t pixels, uint32_t colour,
               Align align = Align::left);

    int width(std::string_view text, uint32_t pixels);
    int line_height(uint32_t pixels);
    // As much of it as fits, with dots where something is missing.
    std::string fitting(const std::string& text, uint32_t pixels, int width);
    // Broken between words into lines that fit.
    std::vector<std::string> wrapped(const std::string& text, uint32_t pixels, int width);

private:
    std::vector<std::byte> atlas_;
    Font font_;
};

}  // namespace saccade
