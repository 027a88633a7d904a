#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpu/ops/attention.h"
#include "gpu/ops/products.h"
#include "models/backbone/position.h"
#include "models/detection/deformable/fusion_blocks.h"
#include "models/detection/deformable/pyramid_encoder.h"
#include "models/detection/post_norm.h"
#include "models/weights/weight_loader.h"

// The efficient hybrid encoder of RT-DETR (Zhao et al. 2023, section 4.2): self-attention within
// the smallest map only (AIFI), then convolutions that fuse the maps top-down and bottom-up (CCFM).
// D-FINE (Peng et al. 2024) has other fusion blocks; DEIMv2 (Huang et al. 2025) adds the maps where
// the others concatenate them.

namespace saccade {

// Names of a list of convolutions with batch norms: `prefix`0`convolution` and `prefix`0`norm`.
struct ProjectionNames {
    std::string prefix, convolution = ".0", norm = ".1";
};

struct HybridEncoderConfig {
    enum class Fusion { csp_rep, elan, summing_elan };  // RT-DETR's, D-FINE's, DEIMv2's

    Fusion fusion = Fusion::csp_rep;
    // Channels of the concatenated parts of each of the backbone's maps, the largest map first.
    std::vector<std::vector<uint32_t>> channels;
    std::string prefix = "model.encoder";  // of its tensors in the file
    ProjectionNames projections{"model.encoder_input_proj."};
    std::vector<uint32_t> attended;  // the maps with AIFI
    size_t fused = SIZE_MAX;         // only this many of the largest maps are output
    uint32_t dim = 0;
    uint32_t layers = 0, heads = 0, intermediate = 0;  // of AIFI
    Activation attention_activation = Activation::gelu_erf;
    double temperature = 10000;  // of AIFI's positions
    bool positions = true;
    uint32_t hidden = 0, blocks = 3;  // of a fusion block
    bool trailing = true;             // see ElanForm
    FusionForm form;
    float norm_eps = 1e-5f;
};

class HybridEncoder : public PyramidEncoder {
public:
    // `front` loads the part before the first norm: the projections and AIFI's first attention.
    HybridEncoder(WeightLoader& front, WeightLoader& weights, const HybridEncoderConfig& config);

    void prepare(const std::vector<Size>& sizes) override;
    // Fuses the backbone's maps into maps of `dim` channels, or only the first `fused` of them.
    void forward(Commands& c, const std::vector<FeatureMap>& maps, const std::vector<Tensor>& fused,
                 Tap& tap, Parts& parts) const override;
    Tensor first_queries_and_keys(Commands& c, const std::vector<FeatureMap>& maps) const override;
    double multiply_adds(const std::vector<Size>& sizes) const override;

private:
    struct Layer {
        SelfAttention self;
        FeedForward ffn;
    };
    // Fuses two maps.
    struct Fusion {
        CspRep csp;
        Elan elan;
    };
    // Halves a map: a 3x3 convolution, or a 1x1 and a depthwise one.
    struct Downsample {
        Conv2d convolution, pointwise;
        DepthwiseConv2d depthwise;
    };
    Fusion load_fusion(WeightLoader& weights, const std::string& prefix) const;
    Downsample load_downsample(WeightLoader& weights, const std::string& prefix) const;
    Activation between() const;
    Tensor fusion_input(Commands& c, const Tensor& both) const;
    void fuse_into(Commands& c, const Tensor& y, const Tensor& x, Size size, const Fusion& w) const;
    void downsample_into(Commands& c, const Tensor& y, const FeatureMap& x,
                         const Downsample& w) const;
    void project_into(Commands& c, const Tensor& y, const FeatureMap& map, uint32_t level) const;
    Stream embed(Commands& c, const FeatureMap& map, size_t index, bool placed) const;
    Tensor attend(Commands& c, const FeatureMap& map, size_t index, Tap& tap) const;

    Device& device_;
    HybridEncoderConfig config_;
    Heads heads_;
    Type type_;
    std::vector<Linear> projections_;        // for each map: (dim, channels)
    std::vector<std::vector<Layer>> aifi_;   // for each attended map
    std::vector<PositionTables> positions_;  // for each attended map: (cells, dim)
    std::vector<Conv2d> laterals_;           // 1x1, before a map is upsampled
    std::vector<Fusion> down_, up_;          // in the order of their use
    std::vector<Downsample> downsamples_;
};

}  // namespace saccade
