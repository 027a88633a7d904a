#pragma once

#include <opencv2/core.hpp>
#include <string>
#include <vector>

#include "app/inspect/lettering.h"

namespace saccade {

// Pictures of one size as a figure: a title, rows and columns with headings, a line above and one
// below each picture, and what the colours of heat mean.
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
