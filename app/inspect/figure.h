#pragma once

#include <opencv2/core.hpp>
#include <string>
#include <vector>

#include "app/inspect/lettering.h"

namespace saccade {

// A figure of equally large pictures in a grid: a title, headings of rows and columns, a heading
// above and a note below each picture, and a legend of the heat colours.
struct Sheet {
    struct Tile {
        cv::Mat picture;
        std::string heading = {}, note = {};
    };
    enum class Legend { none, over_pictures, alone };

    std::string title, subtitle;
    std::vector<std::string> columns = {}, rows = {};  // headings
    size_t across = 1;                                 // tiles in a row
    std::vector<Tile> tiles = {};
    Legend legend = Legend::none;
    std::string low = "0", high = {}, legend_text = {};

    cv::Mat draw(Lettering& lettering) const;
};

}  // namespace saccade
