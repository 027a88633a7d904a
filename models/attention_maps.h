#pragma once

#include "gpu/buffer.h"
#include "gpu/commands.h"
#include "models/tap.h"

namespace saccade {

// Attention rollout (Abnar & Zuidema 2020): how much of each token of the input reaches one token
// of the output when attention, averaged over heads and mixed half and half with the residual path,
// is followed through the layers:  r = e_row (A_L + I)/2 ... (A_1 + I)/2. Only one row of that
// product is wanted, so it is followed backwards, a vector times a matrix at each layer, and no
// matrix is ever held whole.
class Rollout {
public:
    Rollout(Device& device, uint32_t tokens);

    // (1, 1, tokens) f32, valid until the scope ends, from a tap that has kept every layer.
    Tensor record(Commands& c, const Tap& tap, uint32_t row, uint32_t batch = 0);

private:
    Buffer start_;  // e_row
    uint32_t tokens_;
};

}  // namespace saccade
