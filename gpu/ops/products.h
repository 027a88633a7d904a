#pragma once

#include "gpu/activation.h"
#include "gpu/core/geometry.h"
#include "gpu/core/tensor.h"
#include "gpu/ops/norms.h"
#include "gpu/recorder/commands.h"

// Matrix products: linear layers and convolutions, fused with the norm before and the activation
// after them.

namespace saccade {

struct Linear {
    Tensor weight;          // (out, in)
    Tensor bias;            // (out) f32, or none
    Tensor fragments = {};  // the weight in fragments; none: no cooperative matrices
};

// y = activation(x W^T + b)
Tensor linear(Commands& c, const Tensor& x, const Linear& w,
              Activation activation = Activation::none);
void linear_into(Commands& c, const Tensor& y, const Tensor& x, const Linear& w,
                 Activation activation = Activation::none);
// y += x W^T + b
void linear_add(Commands& c, const Tensor& y, const Tensor& x, const Linear& w);

// y = activation(LN(x) W^T + b) of an fp32 stream x. For few rows it is one dispatch, which
// normalises them as the product reads them.
Tensor norm_linear(Commands& c, const Tensor& x, const Norm& norm, const Linear& w,
                   Activation activation = Activation::none);
void norm_linear_into(Commands& c, const Tensor& y, const Tensor& x, const Norm& norm,
                      const Linear& w, Activation activation = Activation::none);

// y = RMSNorm(x) W^T + b of an fp32 stream x.
void norm_linear_into(Commands& c, const Tensor& y, const Tensor& x, const RmsNorm& norm,
                      const Linear& w);

// The gated part of an MLP (SwiGLU with silu): activation(RMSNorm(x) G^T) * RMSNorm(x) U^T, where
// gate_up has the rows of G and then those of U. It is one link of a chain.
Tensor gated_linear(Commands& c, const Tensor& x, const RmsNorm& norm, const Linear& gate_up,
                    Activation activation);

// How the threads of this device hold a fragment of a cooperative matrix. A kernel finds out, once.
const HeldFragments& held_fragments(Device& device);

// A copy of a weight in the order in which products on cooperative matrices read it: see
// fragments.coopmat.comp. Its size is (rows, columns) f16, or none where the device has no use for
// it.
struct FragmentsSize {
    uint32_t rows = 0, columns = 0;
    explicit operator bool() const { return rows > 0; }
};
FragmentsSize fragments_size(Device& device, const Tensor& weight);
void fragments_into(Commands& c, const Tensor& fragments, const Tensor& weight);

// Pictures are channels-last: (batch, height * width, channels).
struct Conv2d {
    Tensor weight;  // (out, kernel height * kernel width * padded(in)), channels innermost
    Tensor bias;    // (out) f32
    uint32_t in = 0;
    Size kernel;
    uint32_t stride = 1, padding = 0, dilation = 1;
    Tensor fragments = {};      // of the weight, or none
    float gain = 1, shift = 0;  // of the activation's result

    Size out_size(Size in_size) const;
};

// y = activation(conv(x) + b)
Tensor conv2d(Commands& c, const Tensor& x, Size size, const Conv2d& w,
              Activation activation = Activation::none);
// The same into y, plus `beside` if there is one: a tensor of y's shape, or y itself.
void conv2d_into(Commands& c, const Tensor& y, const Tensor& x, Size size, const Conv2d& w,
                 Activation activation = Activation::none, const Tensor& beside = {});
// y = activation(y + conv(x) + b)
void conv2d_add(Commands& c, const Tensor& y, const Tensor& x, Size size, const Conv2d& w,
                Activation activation = Activation::none);

// A depthwise convolution: y = activation(conv(x) + b) gain + shift, channel by channel.
struct DepthwiseConv2d {
    Tensor weight;  // (kernel * kernel, channels) f32
    Tensor bias;    // (channels) f32
    uint32_t kernel = 3, stride = 1, padding = 1;
    float gain = 1, shift = 0;

    Size out_size(Size in_size) const;
};
void depthwise_into(Commands& c, const Tensor& y, const Tensor& x, Size size,
                    const DepthwiseConv2d& w, Activation activation = Activation::none);

}  // namespace saccade
