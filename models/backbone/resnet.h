#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/ops/maps.h"
#include "gpu/ops/products.h"
#include "gpu/recorder/commands.h"
#include "models/backbone/feature_map.h"
#include "models/weights/weight_loader.h"

// Deep Residual Learning for Image Recognition (He et al. 2015), in its usual form (v1.5): the
// stride is in a bottleneck's 3x3 convolution. Batch norms are frozen and folded into the
// convolutions. Maps are channels-last.

namespace saccade {

struct ResNetConfig {
    enum class Names { timm, transformers };  // of the tensors in the checkpoint
    struct Stage {
        uint32_t blocks = 0, channels = 0;
    };

    Names names = Names::timm;
    bool bottleneck = true;     // blocks of 1x1, 3x3 and 1x1 convolutions; else of two 3x3
    uint32_t stem = 64;         // channels of the first convolution
    std::vector<Stage> stages;  // up to the one whose output is used
    Activation activation = Activation::relu;  // after the stem and after each block
    bool first_stage_strides = false;
    bool first_convolution_strides = false;  // of a bottleneck, as in the paper (v1)
    // ResNet-D (He et al. 2018), as in RT-DETR: three small convolutions in place of the stem's
    // large one, and shortcuts with average pooling before their projection. Stages of basic blocks
    // always begin with a projection.
    bool is_d = false;
    bool folded_norms = false;  // the file has convolutions with biases instead of batch norms
    // Strides beyond this become dilation: 16 is DETR's DC5.
    uint32_t output_stride = 32;

    uint32_t channels() const { return stages.back().channels; }
};

// timm's model of this name, such as "resnet50"; no stages if it is not a plain ResNet.
ResNetConfig timm_resnet(std::string_view name);

class ResNet {
public:
    // `prefix` of its tensors in the file: "model.backbone.conv_encoder.model".
    ResNet(WeightLoader& weights, const ResNetConfig& config, const std::string& prefix);

    // (batch, height * width, 3) to (batch, cells, channels), valid until the scope ends.
    Tensor forward(Commands& c, const Tensor& pixels, Size size) const {
        return stages(c, pixels, size).back().x;
    }
    // The output of each stage, the largest map first.
    std::vector<FeatureMap> stages(Commands& c, const Tensor& pixels, Size size) const;

    std::vector<Size> stage_sizes(Size size) const;
    Size out_size(Size size) const { return stage_sizes(size).back(); }
    // Pixels from one cell to the next. Cell i is centred on pixel i * stride(): all strided
    // kernels have an odd size and symmetric padding.
    uint32_t stride() const { return stride_; }
    double multiply_adds(Size size) const;

private:
    struct Block {
        std::vector<Conv2d> convolutions;
        Conv2d shortcut;      // none: identity
        bool pooled = false;  // the shortcut projects the mean of 2 x 2 cells
    };

    // A convolution and its norm, or the convolution that the file has both folded into.
    Conv2d load_convolution(WeightLoader& weights, const std::string& name, const std::string& norm,
                            const ConvolutionForm& form) const;
    Block load_block(WeightLoader& weights, const std::string& prefix, uint32_t in, uint32_t out,
                     uint32_t stride, uint32_t first_dilation, uint32_t dilation) const;
    Conv2d load_shortcut(WeightLoader& weights, const std::string& prefix, uint32_t in,
                         uint32_t out, uint32_t stride, bool pooled) const;
    void load_stem(WeightLoader& weights, const std::string& prefix);
    Tensor block(Commands& c, const Tensor& x, Size& size, const Block& w) const;
    Size stem_size(Size size) const;

    ResNetConfig config_;
    std::vector<Conv2d> stem_;
    Pool pool_{.kernel = 3, .stride = 2, .padding = 1};
    std::vector<std::vector<Block>> stages_;
    uint32_t stride_ = 1;
};

}  // namespace saccade
