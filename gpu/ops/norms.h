#pragma once

#include "gpu/activation.h"
#include "gpu/core/tensor.h"
#include "gpu/recorder/commands.h"

// Norms over rows and over groups of channels. Statistics are fp32.

namespace saccade {

struct Norm {
    Tensor weight, bias;  // (columns) f32
    float eps = 1e-5f;
};

// y = (x - mean(x)) / sqrt(var(x) + eps) * weight + bias, over each row
Tensor layer_norm(Commands& c, const Tensor& x, const Norm& w, Type out);
// The same into y, which may be x itself.
void layer_norm_into(Commands& c, const Tensor& y, const Tensor& x, const Norm& w);

// y = activation(LN(x)), or y = LN(activation(LN(x))) with a next norm
void norm_activate_into(Commands& c, const Tensor& y, const Tensor& x, const Norm& w,
                        Activation activation, const Norm* next = nullptr);

// x = LN(x) of an fp32 stream, in place, and the copies of it that are read next. Each may be none.
struct PostNorm {
    Tensor y;              // x in the type of products; where it is x itself, nothing is copied
    Tensor at, positions;  // at = x + positions, (rows, columns) f32, of one batch or of each
};
void post_norm(Commands& c, const Tensor& x, const Norm& w, const PostNorm& next);

// z += LN(x) of fp32 streams; `next` is z in the type of products, or none.
void norm_add(Commands& c, const Tensor& z, const Tensor& x, const Norm& w, const Tensor& next);

// y = activation((x - mean) / sqrt(variance + eps) * weight + bias) with mean and variance over all
// rows of a batch and the channels of a group.
Tensor group_norm(Commands& c, const Tensor& x, const Norm& w, uint32_t groups,
                  Activation activation);

// y = x / sqrt(mean(x^2) + eps) * weight, over each row
struct RmsNorm {
    Tensor weight;  // (columns) f32
    float eps = 1e-5f;
};
Tensor rms_norm(Commands& c, const Tensor& x, const RmsNorm& w, Type out);
void rms_norm_into(Commands& c, const Tensor& y, const Tensor& x, const RmsNorm& w);

// L2 normalisation: y = scale x / (|x| + eps), over each row
Tensor unit_rows(Commands& c, const Tensor& x, float eps, Type out, float scale = 1.0f);
void unit_rows_into(Commands& c, const Tensor& y, const Tensor& x, float eps, float scale = 1.0f);

}  // namespace saccade
