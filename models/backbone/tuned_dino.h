#pragma once

#include <string>
#include <vector>

#include "gpu/ops/products.h"
#include "gpu/recorder/commands.h"
#include "models/backbone/dino.h"
#include "models/backbone/feature_map.h"
#include "models/weights/weight_loader.h"

namespace saccade {

struct TunedDinoConfig {
    DinoConfig dino;
    std::vector<uint32_t> stages;  // three: the number of blocks before each map is taken
    std::vector<bool> normed;      // whether the final norm is applied to each map
    uint32_t planes = 16;          // channels of the adapter's stem
    double norm_eps = 1e-5;        // of the adapter's batch norms
};

// DINOv3 with DEIMv2's Spatial Tuning Adapter (STA; Huang et al. 2025, section 3): a few
// convolutions, parallel to the transformer, keep details that are smaller than its patches. Tokens
// of three depths are resized to 1/8, 1/16 and 1/32 of the picture and concatenated with the
// convolutions' maps of these sizes.
class TunedDino {
public:
    // `prefix` of its tensors in the file: "model.conv_encoder.".
    TunedDino(WeightLoader& weights, const TunedDinoConfig& config, const std::string& prefix);

    // Prepares for pictures of this size; an Error if they are not a multiple of the coarsest
    // stride.
    void prepare(Size picture);
    // From pixels (batch, height * width, 3); the largest map first, valid until the scope ends.
    // The transformer's features are on the left, the convolutions' on the right, both padded to a
    // multiple of eight.
    std::vector<FeatureMap> maps(Commands& c, const Tensor& pixels, Size picture) const;
    std::vector<Size> map_sizes(Size picture) const;
    double multiply_adds(Size picture) const;

    // Channels of the concatenated parts of each map.
    static std::vector<std::vector<uint32_t>> channels(const TunedDinoConfig& config);

private:
    Tensor cut(Commands& c, const Tensor& pixels, Size picture) const;
    void add_semantics(Commands& c, const std::vector<Tensor>& to, const Tensor& patches) const;
    void add_details(Commands& c, const std::vector<Tensor>& to, const Tensor& pixels,
                     Size picture) const;

    TunedDinoConfig config_;
    Dino dino_;
    Conv2d stem_;
    std::vector<Conv2d> downsamples_;  // conv2, conv3, conv4
};

}  // namespace saccade
