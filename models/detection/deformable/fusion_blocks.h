#pragma once

#include <string>
#include <vector>

#include "gpu/ops/products.h"
#include "models/weights/weight_loader.h"

// The convolutional blocks by which hybrid encoders fuse two maps. Batch norms are folded into the
// convolutions, and parallel branches are merged into one convolution.

namespace saccade {

// The parameters that all convolutions of an encoder share.
struct FusionForm {
    Activation activation = Activation::silu;
    double norm_eps = 1e-5;
};

// `prefix`.conv and `prefix`.norm.
Conv2d load_conv_norm(WeightLoader& weights, const std::string& prefix, ConvolutionForm form,
                      const FusionForm& fusion);
// The same for a 1x1 convolution of several concatenated maps, each padded to a multiple of eight
// channels.
Conv2d load_merging(WeightLoader& weights, const std::string& prefix, uint32_t out,
                    const std::vector<uint32_t>& channels, const FusionForm& fusion);

// CSPRepLayer: out = conv3(RepVGG(...RepVGG(conv1(x))) + conv2(x)), conv3 only where it changes the
// number of channels.
struct CspRep {
    uint32_t hidden = 0;
    Conv2d both;                      // conv1 and conv2, stacked: (2 * padded hidden, in)
    std::vector<Conv2d> bottlenecks;  // RepVGG: a 3x3 and a 1x1 convolution in one
    Conv2d out;                       // conv3, or none
};
struct CspRepForm {
    std::vector<uint32_t> in;  // channels of the concatenated maps
    uint32_t out = 0, hidden = 0, blocks = 3;
};
CspRep load_csp_rep(WeightLoader& weights, const std::string& prefix, const CspRepForm& form,
                    const FusionForm& fusion);
void csp_rep_into(Commands& c, const Tensor& y, const Tensor& x, Size size, const CspRep& w,
                  Activation activation);

// RepNCSPELAN4: two CSPRepLayers in a row, each followed by a convolution, and a last convolution
// that reads all intermediate results.
struct Elan {
    uint32_t dim = 0, hidden = 0;
    Conv2d in, middle, last, out;  // middle and last may be none
    CspRep first, second;
    Activation between = Activation::silu;  // of its own convolutions
};
struct ElanForm {
    uint32_t dim = 0, hidden = 0, blocks = 3;
    bool trailing = true;  // convolutions follow the CSPRepLayers
};
// D-FINE's, whose input is two concatenated maps. Its own convolutions always have SiLU.
Elan load_elan(WeightLoader& weights, const std::string& prefix, const ElanForm& form,
               const FusionForm& fusion);
// DEIMv2's, whose input is the sum of two maps. In the file the first two convolutions of a
// CSPRepLayer are one, and the convolution that follows it is part of it.
Elan load_summing_elan(WeightLoader& weights, const std::string& prefix, const ElanForm& form,
                       const FusionForm& fusion);
void elan_into(Commands& c, const Tensor& y, const Tensor& x, Size size, const Elan& w,
               Activation activation);

// Multiply-adds for a map of this size.
double work_of(const Conv2d& w, Size size);
double work_of(const CspRep& w, Size size);
double work_of(const Elan& w, Size size);

}  // namespace saccade
