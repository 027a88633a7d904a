#pragma once

#include <vector>

#include "gpu/ops/norms.h"
#include "gpu/ops/products.h"
#include "models/weights/weight_loader.h"

// RF-DETR's mask head: the projector's map is upsampled and refined by ConvNeXt-like blocks; a mask
// is the dot product of its cells with a query.

namespace saccade {

struct SegmentationForm {
    uint32_t dim = 0, blocks = 0, intermediate = 0, queries = 0;
    uint32_t ratio = 4;  // pixels of the picture per cell of a mask
    Activation activation = Activation::gelu_erf;
};

class SegmentationHead {
public:
    SegmentationHead(WeightLoader& weights, const SegmentationForm& form);

    Size mask_size(Size picture) const { return picture / form_.ratio; }
    // Mask logits of the queries (1, n, dim) and the map (1, cells, dim): a view (n, cells, 1),
    // valid until the scope ends.
    Tensor forward(Commands& c, const Tensor& map, Size grid, const Tensor& queries,
                   Size picture) const;

private:
    struct Block {
        DepthwiseConv2d convolution;
        Norm norm;
        Linear mixing;
    };
    SegmentationForm form_;
    std::vector<Block> blocks_;
    Linear map_projection_, fc1_, fc2_, query_projection_;
    Norm query_norm_;
    Tensor bias_;  // (1, queries) f32
};

}  // namespace saccade
