#pragma once

#include "gpu/ops/products.h"

namespace saccade {

// A linear layer and the layer norm before it.
//
// Where it pays (see folds_norms), the norm is folded into the layer: the layer takes over its
// weight and bias, and the mean of each row of the layer's weight is subtracted, so that the mean
// of x cancels out. Then LN(x) W^T + b = (x W'^T) / deviation(x) + b', and only the deviation of
// each row is needed.
struct NormLinear {
    Norm norm;
    Linear linear;
    bool folded = false;
};

// The residual stream of a transformer: blocks add to it, and read it through norms.
//
// A product on cooperative matrices that adds to the stream also writes what a folded norm needs,
// so that the norm takes no dispatch: a copy of the stream in halves, and for each row the moments
// of parts of its columns.
class ResidualStream {
public:
    // z: (batch, tokens, hidden) f32, read by products of this type.
    ResidualStream(Commands& c, const Tensor& z, Type products);

    const Tensor& sums() const { return z_; }
    // Counts the same tokens as this number of batches, all equally long.
    void cut(uint32_t batches);
    // To be called after another operation has written to the sums.
    void changed() { width_ = 0; }

    // z += x W^T + b
    void add(Commands& c, const Tensor& x, const Linear& w);
    // activation(LN(z) W^T + b)
    Tensor norm_linear(Commands& c, const NormLinear& w,
                       Activation activation = Activation::none) const;

private:
    Tensor z_;
    Tensor halves_, moments_;  // none where norms are not folded
    uint32_t width_ = 0;       // columns that a moment stands for; 0: they are not up to date
};

// Whether layers of `type` with this many columns are better folded with the norm before them.
bool folds_norms(Device& device, uint32_t columns, Type type);

}  // namespace saccade
