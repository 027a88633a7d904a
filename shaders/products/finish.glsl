// The end of a convolution: activation(sum + r) gain + shift, or activation(sum) gain + shift + r. Where
// RESIDUAL is none, r is zero. The including kernel has declared ACTIVATION, RESIDUAL and p.
#include "shaders/common/activation.glsl"

vec4 finished(vec4 sum, vec4 r) {
    if (RESIDUAL == residual_after) return activate(sum) * p.gain + p.shift + r;
    return activate(sum + r) * p.gain + p.shift;
}
