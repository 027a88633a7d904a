#pragma once

#include <string>
#include <vector>

#include "gpu/ops.h"
#include "gpu/recorder/commands.h"
#include "models/backbone/dino.h"
#include "models/backbone/feature_map.h"
#include "models/weights/weight_loader.h"

namespace saccade {

struct TunedDinoConfig {
    DinoConfig dino;
    std::vector<uint32_t> stages;  // three: after how many blocks tokens become a map
    std::vector<bool> normed;      // of each, whether the final norm is applied to it
    uint32_t planes = 16;          // channels of the adapter's stem
    double norm_eps = 1e-5;        // of the adapter's batch norms
};

// DINOv3 with DEIMv2's Spatial Tuning Adapter (Huang et al. 2025, section 3): a few convolutions
// beside the transformer see the details that its patches are too large for. Tokens of three depths
// are resized to 1/8, 1/16 and 1/32 of the picture, and each map is joined by the convolutions' one
// of that size.
class TunedDino {
public:
    // `prefix` is where its tensors lie in the file: "model.conv_encoder.".
    TunedDino(WeightLoader& weights, const TunedDinoConfig& config, const std::string& prefix);

    // Makes ready for pictures of this size, and refuses those that maps do not fit into.
    void prepare(Size picture);
    // Of (batch, height * width, 3), the largest map first; valid until the scope ends. What is
    // known of a place lies on the left, the details on the right, both padded to a multiple of
    // eight.
    std::vector<FeatureMap> maps(Commands& c, const Tensor& pixels, Size picture) const;
    std::vector<Size> map_sizes(Size picture) const;
    double multiply_adds(Size picture) const;

    // What lies side by side in each map.
    static std::vector<std::vector<uint32_t>> channels(const TunedDinoConfig& config);

private:
    Tensor cut(Commands& c, const Tensor& pixels, Size picture) const;
    void add_meaning(Commands& c, const std::vector<Tensor>& to, const Tensor& patches) const;
    void add_details(Commands& c, const std::vector<Tensor>& to, const Tensor& pixels,
                     Size picture) const;

    TunedDinoConfig config_;
    Dino dino_;
    Conv2d stem_;
    std::vector<Conv2d> downsamples_;  // conv2, conv3, conv4
};

}  // namespace saccade
