#include "models/contrast/contrast_model.h"

#include <nlohmann/json.hpp>

#include "gpu/ops/norms.h"
#include "gpu/ops/products.h"

namespace saccade {

JsonFields tower_section(const JsonFields& fields, const std::string& key) {
    const std::string older = key + "_dict";
    return fields.has(older) ? fields.object(older) : fields.object_if_any(key);
}

Size ContrastModel::picture() const {
    const VisionTowerConfig& config = vision_.config();
    return config.positions > 0 ? Size{} : Size{config.image, config.image};
}

TokenLayout ContrastModel::layout(uint32_t) const {
    return {.grid = vision_.grid(),
            .first_cell = vision_.config().prefix_tokens(),
            .cell = glm::vec2(patch())};
}

Tensor ContrastModel::logits(Commands& c, const Tensor& patches, Tap& tap) const {
    const Linear& phrases = phrases_.layer();
    const Tensor result = c.scratch(patches.batch, 1, phrases.weight.rows, Type::f32);
    auto scope = c.scope("contrast");
    linear_into(c, result, unit_rows(c, embed(c, patches, tap), 0.0f, phrases.weight.type),
                phrases);
    return result;
}

Tensor ContrastModel::similarity(Commands& c, const Tensor& last) const {
    const Linear& phrases = phrases_.layer();
    const Tensor result = c.scratch(last.batch, last.rows, phrases.weight.rows, Type::f32);
    auto scope = c.scope("similarity");
    linear_into(c, result, unit_rows(c, project(c, last), 0.0f, phrases.weight.type), phrases);
    return result;
}

// Of the class token; models without one pool all tokens.
Tensor ContrastModel::lens(Commands& c, const Tensor& stream) const {
    return vision_.config().class_token ? similarity(c, stream.slice_rows(0, 1)) : Tensor();
}

Tensor ContrastModel::likeness(Commands& c, const Tap& tap) const {
    const Tensor& last = tap.hidden_states().at(vision_.config().form.layers);
    return probabilities(c, similarity(c, last.at_batch(0)));
}

}  // namespace saccade
