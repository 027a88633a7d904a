#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpu/engine.h"

namespace saccade {

// What is to be timed: a product "ROWSxCOLUMNSxDEPTH", or attention
// "BATCHxHEADSxQUERIESxKEYSxHEAD".
struct TileQuestion {
    std::string text;
    std::vector<uint32_t> sizes;
};
// An Error where the text is not that.
TileQuestion product_question(const std::string& text);
TileQuestion attention_question(const std::string& text);

// How long each of the device's ways to do these takes: a table.
std::string describe_tiles(const EngineOptions& options, const std::vector<TileQuestion>& products,
                           const std::vector<TileQuestion>& attentions);

}  // namespace saccade
