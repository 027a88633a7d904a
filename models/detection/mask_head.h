#pragma once

#include <utility>
#include <vector>

#include "gpu/ops/attention.h"
#include "gpu/ops/norms.h"
#include "gpu/ops/products.h"
#include "models/attention/parts.h"
#include "models/weights/weight_loader.h"

// DETR's head for panoptic segmentation (Carion et al. 2020, section 4.2): the attention of a query
// to the encoder's memory, one map per head, is upsampled and refined by convolutions, in the
// manner of a feature pyramid (FPN) with the backbone's larger maps.

namespace saccade {

struct MaskHeadForm {
    uint32_t dim = 0;
    Heads heads;
    std::vector<uint32_t> channels;  // of the backbone's stages, the largest map first
    Activation activation = Activation::relu;
};

class MaskHead {
public:
    MaskHead(WeightLoader& weights, const MaskHeadForm& form);

    // Rows and columns of its inputs: the decoder's queries, the encoder's memory, the projected
    // features, and the backbone's three largest maps.
    std::vector<std::pair<uint32_t, uint32_t>> inputs(uint32_t queries,
                                                      const std::vector<Size>& sizes) const;
    // Mask logits (n, cells of the largest map, 1) of the queries in the list (1, 1, n) u32.
    Tensor forward(Commands& c, const std::vector<Tensor>& from, const Tensor& list,
                   const std::vector<Size>& sizes, Parts& parts) const;

private:
    struct ConvNorm {
        Conv2d convolution;
        Norm norm;
    };
    ConvNorm load(WeightLoader& weights, const std::string& number, uint32_t out,
                  uint32_t in) const;
    Tensor refine(Commands& c, const Tensor& x, Size size, const ConvNorm& w) const;

    MaskHeadForm form_;
    Linear q_, k_;             // (heads * head, dim)
    ConvNorm first_, second_;  // on the smallest map
    std::vector<Conv2d> adapters_;
    std::vector<ConvNorm> stages_;
    Conv2d out_;
};

}  // namespace saccade
