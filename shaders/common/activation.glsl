// The activations of the models, in fp32. ACTIVATION is a specialisation constant.

// x / 2 (1 + erf(x / sqrt 2)) = max(x, 0) - |x| (1 - erf(|x| / sqrt 2)) / 2. GLSL has no erf; the last
// factor is here a polynomial to the power of -16 or, where the result is rounded to fp16, of -8. That
// takes neither an exponential nor a division.
#if defined(OUT) && OUT == f16
// Within 1.3e-5 everywhere: fitted for this, with its value at 0 held.
float gelu_erf(float x) {
    const float z = abs(x);
    float tail = inversesqrt(1.09050775 + z * (0.1090995 + z * (0.0471895859 + z * (0.0120950248 +
                 z * (-0.000897342223 + z * 0.00077283982)))));
    [[unroll]] for (uint i = 0; i < 4; ++i) tail *= tail;
    return max(x, 0.0) - z * tail;
}
#else
// Within 2e-6 everywhere: after Abramowitz and Stegun, 7.1.28.
float gelu_erf(float x) {
    const float z = abs(x) * 0.70710678118;
    float tail = inversesqrt(1.0 + z * (0.0705230784 + z * (0.0422820123 + z * (0.0092705272 +
                 z * (0.0001520143 + z * (0.0002765672 + z * 0.0000430638))))));
    [[unroll]] for (uint i = 0; i < 5; ++i) tail *= tail;
    return max(x, 0.0) - 0.5 * abs(x) * tail;
}
#endif

float activate(float x) {
    switch (ACTIVATION) {
        case activation_gelu_erf: return gelu_erf(x);
        case activation_gelu_tanh: {
            const float u = 0.7978845608 * (x + 0.044715 * x * x * x);
            return x / (1.0 + exp(-2.0 * clamp(u, -15.0, 15.0)));  // = x / 2 (1 + tanh(u))
        }
        case activation_quick_gelu: return x / (1.0 + exp(-1.702 * x));
        case activation_relu: return max(x, 0.0);
        case activation_tanh: return tanh(clamp(x, -15.0, 15.0));
        case activation_sigmoid: return 1.0 / (1.0 + exp(-x));
        case activation_silu: return x / (1.0 + exp(-x));
        case activation_hard_swish: return x * clamp(x / 6.0 + 0.5, 0.0, 1.0);
        case activation_clip: return clamp(x, -10.0, 10.0);
        default: return x;
    }
}

vec4 activate(vec4 v) { return vec4(activate(v.x), activate(v.y), activate(v.z), activate(v.w)); }
