#pragma once

#include "gpu/ops/attention.h"
#include "gpu/ops/norms.h"
#include "gpu/ops/products.h"
#include "shaders/chains/params.h"

namespace saccade {

// Operations as links of a chain (see Commands::Chain), on a row of each of a few batches. Each returns
// false, and records nothing, where there is no chain or the operation does not fit into one.
bool link_product(Commands& c, const Tensor& y, const Tensor& x, const Norm* norm, const Linear& w,
                  Activation activation, bool accumulate);
// Of RMSNorm(x), and with one more step in which two columns of the product become something together:
// a rotation, or a gate that opens by its activation and meets as many columns that follow.
struct LinkedPairs {
    const Rotation* rotation = nullptr;
    Activation gate = Activation::none;
};
bool link_product(Commands& c, const Tensor& y, const Tensor& x, const RmsNorm& norm,
                  const Linear& w, const LinkedPairs& pairs);
// Several queries of a batch see all keys of it.
bool link_attention(Commands& c, const Tensor& y, const Tensor& q, const Tensor& k, const Tensor& v,
                    const Heads& heads);
bool link_norm(Commands& c, const Tensor& y, const Tensor& x, const Norm& norm);
bool link_embedding(Commands& c, const Tensor& y, const Tensor& ids, const Tensor& table,
                    const Tensor& positions);
bool link_pick(Commands& c, const Tensor& best, const Tensor& about, const Tensor& x);

}  // namespace saccade
