// The activations of the models, in fp32. ACTIVATION is a specialisation constant.

// GLSL has no erf. One minus exp(-x^2) times a polynomial in 1 / (1 + 0.3275911 x), after Abramowitz
// and Stegun, 7.1.26: within 1.5e-7 everywhere.
float erf(float x) {
    const float z = abs(x);
    const float t = 1.0 / (1.0 + 0.3275911 * z);
    const float poly =
        t * (0.254829592 +
        t * (-0.284496736 +
        t * (1.421413741 +
        t * (-1.453152027 +
        t * 1.061405429))));
    const float erf_z = 1.0 - poly * exp(-z * z);
    return x >= 0.0 ? erf_z : -erf_z;
}

float activate(float x) {
    switch (ACTIVATION) {
        case activation_gelu_erf: return 0.5 * x * (1.0 + erf(x * 0.70710678118));
        case activation_gelu_tanh: {
            const float u = 0.7978845608 * (x + 0.044715 * x * x * x);
            return x / (1.0 + exp(-2.0 * clamp(u, -15.0, 15.0)));  // = x / 2 (1 + tanh(u))
        }
        case activation_quick_gelu: return x / (1.0 + exp(-1.702 * x));
        case activation_relu: return max(x, 0.0);
        case activation_tanh: return tanh(clamp(x, -15.0, 15.0));
        case activation_sigmoid: return 1.0 / (1.0 + exp(-x));
        default: return x;
    }
}

vec4 activate(vec4 v) { return vec4(activate(v.x), activate(v.y), activate(v.z), activate(v.w)); }
