#pragma once

#include <cstdint>
#include <vector>

#include "app/inspect/study.h"

// Attention maps as report.html embeds them: eight bits per cell, and as many maps as the page's
// size limit allows.

namespace saccade {

// Each map (of one layer, head and row) is quantised from 0 to its largest value.
struct PageMaps {
    uint32_t rows = 0, cells = 0;      // maps per layer and head; cells per map
    std::vector<uint8_t> levels = {};  // (layers, heads, rows, cells)
    std::vector<float> scales = {};    // (layers, heads, rows): the value of level 255

    // Appends maps of `cells` values each.
    void add(const std::vector<float>& maps);
};

// The maps of one kind that a page embeds: these layers, with all heads, of every patch; with a
// stride, of the middle patch of every stride x stride patches.
struct PageForm {
    std::vector<uint32_t> layers;
    uint32_t stride = 1;
};

// All maps of one kind that could be embedded.
struct PageDemand {
    std::vector<uint32_t> layers = {};
    uint32_t heads = 1;
    uint32_t others = 0;    // maps per layer and head that are not of patches; all are embedded
    Size patches = {0, 0};  // the grid of patches that have maps
    uint32_t cells = 1;

    uint32_t rows(uint32_t stride) const;
    uint64_t bytes(const PageForm& form) const;
};

// The selection that fits into this many bytes: as many layers as possible of every patch, evenly
// spaced and including the last; if that is fewer than four layers, of fewer patches. The maps
// themselves keep their resolution.
PageForm thinned(const PageDemand& demand, uint64_t bytes);

// The same for several kinds that share the bytes: small kinds leave their rest to large ones.
std::vector<PageForm> thinned(const std::vector<PageDemand>& demands, uint64_t bytes);

// Maps of the class token, if there is one, and of patches.
PageMaps page_maps(const EncoderView& encoder, const PageForm& form);
PageMaps page_maps(const GazeView& view, const PageForm& form);
// The similarity of each cell to each embedded patch, and the colours of all cells.
PageMaps page_maps(const FeatureView& view, const PageForm& form);
PageMaps page_colours(const FeatureView& view);

}  // namespace saccade
