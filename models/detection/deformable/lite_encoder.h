#pragma once

#include <cstdint>
#include <vector>

#include "gpu/ops/products.h"
#include "models/detection/deformable/fusion_blocks.h"
#include "models/detection/deformable/pyramid_encoder.h"
#include "models/weights/weight_loader.h"

namespace saccade {

struct LiteEncoderConfig {
    uint32_t channels = 0;  // of the backbone's map
    uint32_t dim = 0, hidden = 0, blocks = 3;
    bool trailing = true;
    FusionForm form;
};

// The encoder of DEIMv2's smallest models (Huang et al. 2025, section 3), without attention: one
// map of the backbone, and one half as large that is made of it. The smaller map's mean is added to
// each of its cells; then the two are fused top-down and bottom-up.
class LiteEncoder : public PyramidEncoder {
public:
    // `front` loads the projection of the backbone's map.
    LiteEncoder(WeightLoader& front, WeightLoader& weights, const LiteEncoderConfig& config);

    std::vector<Size> fused_sizes(const std::vector<Size>& sizes) const override;
    void prepare(const std::vector<Size>& sizes) override { require_halves(fused_sizes(sizes)); }
    void forward(Commands& c, const std::vector<FeatureMap>& maps, const std::vector<Tensor>& fused,
                 Tap& tap, Parts& parts) const override;
    double multiply_adds(const std::vector<Size>& sizes) const override;

private:
    Tensor downsample(Commands& c, const Tensor& x, Size size, const Conv2d& w) const;
    void add_mean(Commands& c, const Tensor& x) const;

    LiteEncoderConfig config_;
    Type type_;
    Linear projection_;     // (dim, channels)
    DepthwiseConv2d pool_;  // average pooling of 3x3 cells, padded with zeros
    Conv2d smaller_, between_, spread_;
    Elan down_, up_;
};

}  // namespace saccade
