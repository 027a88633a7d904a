#pragma once

#include "gpu/ops.h"

namespace saccade {

// Operations as links of a chain (see Commands::Chain). Each returns false, and records nothing,
// where there is no chain or the operation does not fit into one.
bool link_product(Commands& c, const Tensor& y, const Tensor& x, const Norm* norm, const Linear& w,
                  Activation activation, bool accumulate);
bool link_attention(Commands& c, const Tensor& y, const Tensor& q, const Tensor& k, const Tensor& v,
                    const Heads& heads);
bool link_norm(Commands& c, const Tensor& y, const Tensor& x, const Norm& norm);
bool link_embedding(Commands& c, const Tensor& y, const Tensor& ids, const Tensor& table,
                    const Tensor& positions);
bool link_pick(Commands& c, const Tensor& best, const Tensor& about, const Tensor& x);

}  // namespace saccade
