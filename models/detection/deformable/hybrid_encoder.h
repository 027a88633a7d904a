#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpu/ops.h"
#include "gpu/sampling.h"
#include "models/backbone/position.h"
#include "models/detection/deformable/fusion_blocks.h"
#include "models/detection/deformable/pyramid_encoder.h"
#include "models/detection/post_norm.h"
#include "models/weights/weight_loader.h"

// The efficient hybrid encoder of RT-DETR (Zhao et al. 2023, section 4.2): attention within the
// smallest map alone (AIFI), then convolutions that fuse the maps downwards and upwards (CCFM).
// D-FINE (Peng et al. 2024) fuses with other blocks, DEIMv2 (Huang et al. 2025) sums of maps.

namespace saccade {

// Convolutions of a list, each with a batch norm: `prefix`0`convolution` and `prefix`0`norm`.
struct ProjectionNames {
    std::string prefix, convolution = ".0", norm = ".1";
};

struct HybridEncoderConfig {
    enum class Fusion { csp_rep, elan, summing_elan };  // RT-DETR's, D-FINE's, DEIMv2's

    Fusion fusion = Fusion::csp_rep;
    // Of the backbone's maps, the largest first: the channels of what lies side by side in each.
    std::vector<std::vector<uint32_t>> channels;
    std::string prefix = "model.encoder";  // where its tensors lie in the file
    ProjectionNames projections{"model.encoder_input_proj."};
    std::vector<uint32_t> attended;  // the maps that AIFI works on
    size_t fused = SIZE_MAX;         // maps that come out in the end, the largest ones; else all
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
    // `front` loads what lies before the first norm: the projections and AIFI's first attention.
    HybridEncoder(WeightLoader& front, WeightLoader& weights, const HybridEncoderConfig& config);

    void prepare(const std::vector<Size>& sizes) override;
    // The backbone's maps to as many of `dim` channels, or to the first `fused` of these.
    void forward(Commands& c, const std::vector<FeatureMap>& maps, const std::vector<Tensor>& fused,
                 Tap& tap, Parts& parts) const override;
    Tensor first_queries_and_keys(Commands& c, const std::vector<FeatureMap>& maps) const override;
    double multiply_adds(const std::vector<Size>& sizes) const override;

private:
    struct Layer {
        SelfAttention self;
        FeedForward ffn;
    };
    // Two maps become one.
    struct Fusion {
        CspRep csp;
        Elan elan;
    };
    // A map half as large: a 3x3 convolution, or a 1x1 one and another that mixes no channels.
    struct Halving {
        Conv2d convolution, mixing;
        DepthwiseConv2d halving;
    };
    Fusion load_fusion(WeightLoader& weights, const std::string& prefix) const;
    Halving load_halving(WeightLoader& weights, const std::string& prefix) const;
    Activation between() const;
    Tensor meeting(Commands& c, const Tensor& both) const;
    void fuse_into(Commands& c, const Tensor& y, const Tensor& x, Size size,
                   const Fusion& w) const;
    void halve_into(Commands& c, const Tensor& y, const FeatureMap& x, const Halving& w) const;
    void project_into(Commands& c, const Tensor& y, const FeatureMap& map, uint32_t level) const;
    Stream embed(Commands& c, const FeatureMap& map, size_t index, bool placed) const;
    Tensor attend(Commands& c, const FeatureMap& map, size_t index, Tap& tap) const;

    Device& device_;
    HybridEncoderConfig config_;
    Heads heads_;
    Type type_;
    std::vector<Linear> projections_;        // of each map: (dim, channels)
    std::vector<std::vector<Layer>> aifi_;   // for each attended map
    std::vector<PositionTables> positions_;  // for each attended map: (cells, dim)
    std::vector<Conv2d> laterals_;           // 1x1, before a map is enlarged
    std::vector<Fusion> down_, up_;          // in the order of their use
    std::vector<Halving> halvings_;
};

}  // namespace saccade
