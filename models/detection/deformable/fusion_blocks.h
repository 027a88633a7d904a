#pragma once

#include <string>
#include <vector>

#include "gpu/ops.h"
#include "models/weights/weight_loader.h"

// The convolutional blocks that hybrid encoders fuse two maps with. Batch norms are folded into the
// convolutions, and branches that read the same input, or are added, into one of them.

namespace saccade {

// What every convolution of an encoder shares.
struct FusionForm {
    Activation activation = Activation::silu;
    double norm_eps = 1e-5;
};

// `prefix`.conv and `prefix`.norm.
Conv2d load_conv_norm(WeightLoader& weights, const std::string& prefix, ConvolutionForm form,
                      const FusionForm& fusion);
// The same of a 1x1 convolution whose input is several maps side by side, each padded to a multiple
// of eight channels.
Conv2d load_merging(WeightLoader& weights, const std::string& prefix, uint32_t out,
                    const std::vector<uint32_t>& channels, const FusionForm& fusion);

// CSPRepLayer: out = conv3(RepVGG(...RepVGG(conv1(x))) + conv2(x)), conv3 only where it changes the
// number of channels.
struct CspRep {
    uint32_t hidden = 0;
    Conv2d both;                      // conv1, and conv2 below it: (2 * padded hidden, in)
    std::vector<Conv2d> bottlenecks;  // RepVGG: a 3x3 and a 1x1 convolution in one
    Conv2d out;                       // conv3, or none
};
struct CspRepForm {
    std::vector<uint32_t> in;  // channels of the maps that lie side by side
    uint32_t out = 0, hidden = 0, blocks = 3;
};
CspRep load_csp_rep(WeightLoader& weights, const std::string& prefix, const CspRepForm& form,
                    const FusionForm& fusion);
void csp_rep_into(Commands& c, const Tensor& y, const Tensor& x, Size size, const CspRep& w,
                  Activation activation);

// RepNCSPELAN4: two CSPRepLayers in a row, each with a convolution behind it, and a last one that
// sees what lies between.
struct Elan {
    uint32_t dim = 0, hidden = 0;
    Conv2d in, middle, last, out;  // middle and last may be none
    CspRep first, second;
    Activation between = Activation::silu;  // of its own convolutions
};
struct ElanForm {
    uint32_t dim = 0, hidden = 0, blocks = 3;
    bool trailing = true;  // there are convolutions behind the layers
};
// D-FINE's, whose input is two maps side by side. Its own convolutions have SiLU, whatever those of
// the layers have.
Elan load_elan(WeightLoader& weights, const std::string& prefix, const ElanForm& form,
               const FusionForm& fusion);
// DEIMv2's, whose input is a sum. In the file the two first convolutions of a layer are one, and the
// one behind it is part of it.
Elan load_summing_elan(WeightLoader& weights, const std::string& prefix, const ElanForm& form,
                       const FusionForm& fusion);
void elan_into(Commands& c, const Tensor& y, const Tensor& x, Size size, const Elan& w,
               Activation activation);

// Multiply-adds for a map of this size.
double work_of(const Conv2d& w, Size size);
double work_of(const CspRep& w, Size size);
double work_of(const Elan& w, Size size);

}  // namespace saccade
