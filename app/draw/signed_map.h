#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/draw/marks.h"
#include "models/attention/map_geometry.h"

namespace saccade {

// How much a score falls when a cell of the picture is knocked out: positive where the answer needs
// the cell, negative where the cell holds it back.
struct SignedMap {
    MapGeometry geometry;
    std::vector<float> cells;             // row after row
    std::vector<std::string> lines = {};  // of the legend on a frame: whose map it is
    bool operator==(const SignedMap& other) const {
        return cells == other.cells && lines == other.lines &&
               geometry.corner == other.geometry.corner && geometry.cell == other.geometry.cell;
    }
};

float largest_effect(const std::vector<float>& effects);
// Warm for positive effects, blue for negative ones, and more opaque the stronger they are; `part`
// is from -1 to 1.
uint32_t effect_colour(double part);
// The cells to draw, relative to the largest effect; cells without any effect are left out.
std::vector<Marks::Patch> patches_of(const SignedMap& map, double opacity);

}  // namespace saccade
