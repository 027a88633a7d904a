#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpu/ops/maps.h"
#include "gpu/ops/products.h"
#include "gpu/recorder/commands.h"
#include "models/backbone/feature_map.h"
#include "models/weights/weight_loader.h"

// PP-HGNetV2 (PaddlePaddle 2023), the backbone of D-FINE and DEIMv2: the last two convolutions of a
// block read the concatenated outputs of all before them. Light blocks have depthwise convolutions.

namespace saccade {

struct HGNetV2Config {
    struct Stage {
        uint32_t in = 0, middle = 0, out = 0;  // channels
        uint32_t blocks = 1, layers = 6, kernel = 3;
        uint32_t stride = 1;  // of the downsampling convolution before the blocks; 0: none
        bool light = false;
    };
    uint32_t stem_middle = 32, stem_out = 48;
    std::vector<uint32_t> stem_strides{2, 1, 1, 2, 1};
    Activation stem_activation = Activation::relu;
    bool affine = false;  // activations are followed by a learned scale and shift
    std::vector<Stage> stages;
    std::vector<uint32_t> used;  // the stages that are output, counted from 0
};

class HGNetV2 {
public:
    // `prefix` of its tensors in the file, such as "model.backbone.model".
    HGNetV2(WeightLoader& weights, const HGNetV2Config& config, const std::string& prefix);

    // The output of the used stages for pixels (batch, height * width, 3), the largest map first;
    // valid until the scope ends.
    std::vector<FeatureMap> maps(Commands& c, const Tensor& pixels, Size picture) const;
    std::vector<Size> map_sizes(Size size) const;
    double multiply_adds(Size size) const;

private:
    struct Layer {
        Conv2d convolution;           // 1x1 in light layers
        DepthwiseConv2d channelwise;  // in light layers only
    };
    struct Block {
        uint32_t in = 0, middle = 0;
        std::vector<Layer> layers;
        Conv2d squeeze, excite;
        bool residual = false;

        std::vector<uint32_t> channels() const;  // of the concatenated maps
    };
    struct Stage {
        DepthwiseConv2d downsample;  // none if the map keeps its size
        std::vector<Block> blocks;
    };
    Conv2d load_layer(WeightLoader& weights, const std::string& prefix, ConvolutionForm form,
                      bool activated, const std::vector<uint32_t>& merged_from = {}) const;
    DepthwiseConv2d load_channelwise(WeightLoader& weights, const std::string& prefix,
                                     uint32_t channels, uint32_t kernel, uint32_t stride,
                                     bool activated) const;
    Block load_block(WeightLoader& weights, const std::string& prefix,
                     const HGNetV2Config::Stage& stage, bool first) const;
    void stem_into(Commands& c, const Tensor& y, const Tensor& pixels, Size size) const;
    Size stem_size(Size size) const;
    void block_into(Commands& c, const Tensor& y, const Tensor& all, Size size,
                    const Block& w) const;

    HGNetV2Config config_;
    Conv2d stem1_, stem2a_, stem2b_, stem3_, stem4_;
    Pool pool_{.kernel = 2, .stride = 1, .padding = 0, .zeros_after = 1};
    std::vector<Stage> stages_;
};

}  // namespace saccade
