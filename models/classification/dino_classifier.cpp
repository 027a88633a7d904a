#include "models/classification/dino_classifier.h"

#include "gpu/ops/elementwise.h"
#include "gpu/ops/rows.h"

namespace saccade {

DinoClassifier::DinoClassifier(WeightLoader& weights, const DinoConfig& config)
    : dino_(weights, config) {
    if (!config.labels.empty())
        head_ = weights.linear("classifier", {.out = static_cast<uint32_t>(config.labels.size()),
                                              .in = 2 * config.hidden,
                                              .in_head = config.hidden,
                                              .rows = Rows::any});
}

Tensor DinoClassifier::logits(Commands& c, const Tensor& patches, Tap& tap) const {
    const Tensor z = dino_.encode(c, patches, tap);
    if (!head_.weight && !tap.wants_features()) return {};
    const Tensor y = dino_.normalize(c, z, Type::f32);
    tap.features(c, y);
    return head_.weight ? classify(c, y) : Tensor();
}

Tensor DinoClassifier::lens(Commands& c, const Tensor& stream) const {
    return head_.weight ? classify(c, dino_.normalize(c, stream, Type::f32)) : Tensor();
}

// On [the class token, the mean of the patches].
Tensor DinoClassifier::classify(Commands& c, const Tensor& y) const {
    const Tensor logits = c.scratch(y.batch, 1, head_.weight.rows, Type::f32);
    auto scope = c.scope("head");
    const uint32_t dim = config().hidden, half = head_.weight.columns / 2;
    const uint32_t first = config().prefix_tokens();
    const Tensor both = c.scratch(y.batch, 1, 2 * half, head_.weight.type);
    copy(c, both.slice_columns(0, dim), y.slice_rows(0, 1));
    const Tensor mean = both.slice_columns(half, dim);
    if (y.rows > first)
        mean_rows_into(c, mean, y.slice_rows(first, y.rows - first));
    else  // all patches have been left out
        copy_strided(c, mean,
                     {{1, mean.batch, 1, padded(dim)}, {0, mean.batch_stride, 0, 1}, mean.offset},
                     y, Stored::f32, {{0, 0, 0, 0}, {0, 0, 0, 1}, 0});
    linear_into(c, logits, both, head_);
    return logits;
}

TokenLayout DinoClassifier::layout(uint32_t) const {
    return {.grid = dino_.grid(),
            .first_cell = config().prefix_tokens(),
            .cell = glm::vec2(config().patch)};
}

double DinoClassifier::multiply_adds() const {
    const double tokens = dino_.tokens(), dim = config().hidden;
    const double inner = (config().gated ? 3.0 : 2.0) * config().intermediate;
    return config().layers * (tokens * dim * (4 * dim + inner) + 2 * tokens * tokens * dim) +
           tokens * dim * 3 * area(config().patch);
}

}  // namespace saccade
