// The activations of the models, in fp32. ACTIVATION is a specialisation constant.

// GLSL has no erf. This is exp(-z^2) times a polynomial in 1 / (1 + z / 2), a Chebyshev fit of erfc
// whose relative error is below 1.2e-7 everywhere.
float erf(float x) {
    const float z = abs(x);
    const float t = 1.0 / (1.0 + 0.5 * z);
    const float poly =
        -1.26551223 +
        t * (1.00002368 +
        t * (0.37409196 +
        t * (0.09678418 +
        t * (-0.18628806 +
        t * (0.27886807 +
        t * (-1.13520398 +
        t * (1.48851587 +
        t * (-0.82215223 +
        t * 0.17087277))))))));
    const float erfc = t * exp(-z * z + poly);
    return x >= 0.0 ? 1.0 - erfc : erfc - 1.0;
}

float activate(float x) {
    switch (ACTIVATION) {
        case activation_gelu_erf: return 0.5 * x * (1.0 + erf(x * 0.70710678118));
        case activation_gelu_tanh: {
            const float u = 0.7978845608 * (x + 0.044715 * x * x * x);
            return 0.5 * x * (1.0 + tanh(clamp(u, -15.0, 15.0)));
        }
        case activation_quick_gelu: return x / (1.0 + exp(-1.702 * x));
        case activation_relu: return max(x, 0.0);
        case activation_tanh: return tanh(clamp(x, -15.0, 15.0));
        case activation_sigmoid: return 1.0 / (1.0 + exp(-x));
        default: return x;
    }
}

vec4 activate(vec4 v) { return vec4(activate(v.x), activate(v.y), activate(v.z), activate(v.w)); }
