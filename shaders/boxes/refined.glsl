// How a box is refined: sigmoid(deltas + logit(box)).

// Of a box that is kept from 0 and 1 by 1e-5.
vec4 logit_of(vec4 box) {
    const vec4 held = clamp(box, 0.0, 1.0);
    return log(max(held, 1e-5) / max(1.0 - held, 1e-5));
}
vec4 refined(vec4 deltas, vec4 logit) { return 1.0 / (1.0 + exp(-(deltas + logit))); }
