#pragma once

#include "shaders/common/params.h"

namespace saccade {

// Activations after a linear layer, by the names that models use.
enum class Activation : uint32_t {
    none = params::activation_none,
    gelu_erf = params::activation_gelu_erf,
    gelu_tanh = params::activation_gelu_tanh,
    quick_gelu = params::activation_quick_gelu,
    relu = params::activation_relu,
    tanh = params::activation_tanh,
    sigmoid = params::activation_sigmoid,
    silu = params::activation_silu,
    hard_swish = params::activation_hard_swish,
    clip = params::activation_clip,  // to -10 .. 10, as D-FINE clips its queries' positions
};

}  // namespace saccade
