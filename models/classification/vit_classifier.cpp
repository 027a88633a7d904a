#include "models/classification/vit_classifier.h"

namespace saccade {

ViTClassifier::ViTClassifier(WeightLoader& weights, const ViTConfig& config)
    : vit_(weights, config, config.distilled ? "deit" : "vit") {
    require_labels(config.labels);
    const auto classes = static_cast<uint32_t>(config.labels.size());
    LinearForm form{.out = classes, .in = config.hidden, .rows = Rows::any};
    if (config.teacher_head) {
        form.scale = 0.5f;  // the two heads' logits are averaged
        teacher_ = weights.linear("distillation_classifier", form);
    }
    head_ = weights.linear(config.teacher_head ? "cls_classifier" : "classifier", form);
}

// y = LN(z_L^0), then the classifier                                                   (eq. 4)
Tensor ViTClassifier::logits(Commands& c, const Tensor& patches, Tap& tap) const {
    return lens(c, vit_.encode_first(c, patches, tap));
}

Tensor ViTClassifier::lens(Commands& c, const Tensor& z) const {
    const Tensor logits = c.scratch(z.batch, 1, head_.weight.rows, Type::f32);
    auto scope = c.scope("head");
    linear_into(c, logits, vit_.normalize(c, z.slice_rows(0, 1), head_.weight.type), head_);
    if (teacher_.weight)
        linear_add(c, logits, vit_.normalize(c, z.slice_rows(1, 1), head_.weight.type), teacher_);
    return logits;
}

TokenLayout ViTClassifier::layout(uint32_t) const {
    return {.grid = {config().grid_width(), config().grid_height()},
            .first_cell = config().prefix_tokens(),
            .cell = glm::vec2(patch())};
}

double ViTClassifier::multiply_adds() const {
    const ViTConfig& config = this->config();
    const double tokens = config.tokens(), dim = config.hidden, first = config.prefix_tokens();
    // In the last block only the first tokens are queries.
    auto block = [&](double queries) {
        return tokens * dim * 3 * dim + queries * dim * (dim + 2.0 * config.intermediate) +
               2 * queries * tokens * dim;
    };
    return (config.layers - 1) * block(tokens) + block(first) +
           tokens * dim * config.channels * config.patch_height * config.patch_width;
}

}  // namespace saccade
