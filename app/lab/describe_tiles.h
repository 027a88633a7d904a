#pragma once

#include <string>
#include <vector>

#include "app/lab/time_tiles.h"
#include "gpu/engine.h"

namespace saccade {

struct TilesOptions {
    std::vector<ProductSizes> products;
    std::vector<ConvolutionSizes> convolutions;
    std::vector<AttentionSizes> attentions;
    // Also times the products of ViT-B for 1, 8 and 64 pictures, and ends with rows for the table
    // of tiles that explain all that was timed.
    bool fit = false;
    bool json = false;
};
// Of "ROWSxCOLUMNSxDEPTH", of "HEIGHTxWIDTHxCHANNELSxCOLUMNS[xKERNEL[xSTRIDE]]", of
// "QUERIESxKEYSxHEAD[xHEADS[xBATCH]]", and of the name of an activation. An Error where the text is
// none.
ProductSizes product_sizes(const std::string& text);
ConvolutionSizes convolution_sizes(const std::string& text);
AttentionSizes attention_sizes(const std::string& text);
Activation activation_of_products(const std::string& name);

// How long each of the device's ways to do these takes: a table, or JSON.
std::string describe_tiles(const EngineOptions& options, const TilesOptions& tiles);

}  // namespace saccade
