#pragma once

#include <cstdint>
#include <vector>

#include "app/inspect/study.h"

// Maps of attention as report.html carries them: eight bits a cell, and as many of them as a page
// of bearable size has room for.

namespace saccade {

// Each row (a map of one layer, head and gaze) spans 0 to its largest value.
struct PageMaps {
    uint32_t rows = 0, cells = 0;      // maps of a layer and head; cells of a map
    std::vector<uint8_t> levels = {};  // (layers, heads, rows, cells)
    std::vector<float> scales = {};    // (layers, heads, rows): what level 255 stands for

    // Adds maps of `cells` values each.
    void add(const std::vector<float>& maps);
};

// Which maps of one kind a page has: these layers, with all their heads, of every patch, or of
// every `stride` rows and columns of patches the one in the middle.
struct PageForm {
    std::vector<uint32_t> layers;
    uint32_t stride = 1;
};

// What there is to choose from.
struct PageDemand {
    std::vector<uint32_t> layers = {};
    uint32_t heads = 1;
    uint32_t others = 0;    // maps of a layer and head that are not of patches: all are needed
    Size patches = {0, 0};  // those that are
    uint32_t cells = 1;

    uint32_t rows(uint32_t stride) const;
    uint64_t bytes(const PageForm& form) const;
};

// What of it fits into this many bytes: of every patch as many layers as can be, evenly and with
// the last one; if that is fewer than four, of fewer patches. Every map that stays is as fine as it
// was.
PageForm thinned(const PageDemand& demand, uint64_t bytes);

// The same for several that share the bytes: what the small ones leave is for the large ones.
std::vector<PageForm> thinned(const std::vector<PageDemand>& demands, uint64_t bytes);

// Maps of the class token, where there is one, and of patches.
PageMaps page_maps(const EncoderView& encoder, const PageForm& form);
PageMaps page_maps(const GazeView& view, const PageForm& form);
// How much each cell is like those of some patches, and the colours of all.
PageMaps page_maps(const FeatureView& view, const PageForm& form);
PageMaps page_colours(const FeatureView& view);

}  // namespace saccade
