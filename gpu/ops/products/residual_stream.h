#pragma once

#include "gpu/ops/products.h"

namespace saccade {

// A linear layer and the layer norm before it.
//
// Where it pays (see folds_norms), the norm is folded into the layer: its weight and bias become part of
// the layer's, and from each row of the layer's weight its mean is taken, so that the mean of whatever it
// is multiplied with no longer counts. Then LN(x) W^T + b is (x W'^T) / deviation(x) + b', the norm that
// is left has weight 1 and bias 0, and of a row only its deviation has to be known.
struct NormLinear {
    Norm norm;
    Linear linear;
    bool folded = false;
};

// A residual stream: what the blocks of a transformer add to, and read through norms.
//
// Who adds to it on cooperative matrices leaves what a folded norm needs, so that it takes no dispatch of
// its own: the stream once more in halves, and for each row the moments of parts of its columns.
class ResidualStream {
public:
    // z: (batch, tokens, hidden) f32, read by products of this type.
    ResidualStream(Commands& c, const Tensor& z, Type products);

    const Tensor& sums() const { return z_; }
    // Counts the same tokens as this number of batches, all equally long.
    void cut(uint32_t batches);
    // To be called when somebody else has written to the sums.
    void changed() { width_ = 0; }

    // z += x W^T + b
    void add(Commands& c, const Tensor& x, const Linear& w);
    // activation(LN(z) W^T + b)
    Tensor norm_linear(Commands& c, const NormLinear& w,
                       Activation activation = Activation::none) const;

private:
    Tensor z_;
    Tensor halves_, moments_;  // none where nobody would read them
    uint32_t width_ = 0;       // columns that a moment stands for; 0: they are not up to date
};

// Whether layers of `type` with this many columns are better folded with the norm before them.
bool folds_norms(Device& device, uint32_t columns, Type type);

}  // namespace saccade
