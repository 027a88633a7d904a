#include "models/contrast/vision_tower.h"

#include <algorithm>
#include <cmath>

#include "models/backbone/config.h"

namespace saccade {

VisionTowerConfig read_vision_tower_config(const JsonFields& fields,
                                           const VisionTowerConfig& otherwise) {
    VisionTowerConfig config = otherwise;
    config.form = read_tower_form(fields, otherwise.form);
    config.patch = fields.whole("patch_size", {1, 1024}, otherwise.patch);
    require_rgb(fields);
    if (otherwise.positions > 0) return config;
    config.image = fields.whole("image_size", {1, 16384}, otherwise.image);
    if (config.grid() == 0) fields.refuse("patch_size", "is larger than image_size");
    return config;
}

VisionTower::VisionTower(WeightLoader& weights, const std::string& prefix,
                         const VisionTowerConfig& config)
    : config_(config), tower_(weights, prefix, config.form) {
    const std::string in = prefix + ".embeddings.";
    const uint32_t dim = config.form.block.hidden, patch = config.patch, tokens = config.tokens();
    if (config.positions > 0) {
        const uint32_t cells = config.positions * config.positions;
        patch_embedding_ = weights.linear(in + "patch_embedding",
                                          {.out = dim, .in = 3 * patch * patch, .interleaved = 3});
        learned_ = weights.floats(in + "position_embedding.weight", {cells, dim});
        any_.emplace(weights.device(), "positions");
        return;
    }
    patch_embedding_ = weights.linear(in + "patch_embedding", {.out = dim,
                                                               .in = 3 * patch * patch,
                                                               .bias = config.patch_bias,
                                                               .stored = {dim, 3, patch, patch}});
    start_ =
        weights.tensor(in + "position_embedding.weight", {tokens, dim}, tokens, dim, Type::f32);
    if (config.class_token) weights.add_to(start_.slice_rows(0, 1), in + "class_embedding", {dim});
    if (!config.pre_norm.empty())
        pre_norm_ = weights.norm(prefix + "." + config.pre_norm, dim, config.form.block.norm_eps);
}

void VisionTower::prepare(Size grid) {
    if (!any_) return;
    const Size learned{config_.positions, config_.positions};
    const uint32_t dim = config_.form.block.hidden;
    any_->prepare(grid, 1, area(grid), dim,
                  [&](uint32_t) { return resize_bilinear(learned_, dim, learned, grid); });
}

Size VisionTower::grid() const {
    return any_ ? any_->grid() : Size{config_.grid(), config_.grid()};
}

Tensor VisionTower::encode(Commands& c, const Tensor& patches, Tap& tap) const {
    const uint32_t tokens = config_.prefix_tokens() + patches.rows;
    const Tensor z = c.scratch(patches.batch, tokens, config_.form.block.hidden, Type::f32);
    copy(c, z, any_ ? (*any_)[0] : start_);
    linear_add(c, z.slice_rows(config_.prefix_tokens(), patches.rows), patches, patch_embedding_);
    if (pre_norm_.weight) layer_norm_into(c, z, z, pre_norm_);
    const Tensor stay = tap.tokens(c, z);
    tower_.encode(c, stay, tap);
    return stay;
}

double VisionTower::multiply_adds() const {
    const double patches = area(grid());
    return tower_.multiply_adds(config_.prefix_tokens() + patches) +
           3.0 * config_.patch * config_.patch * patches * config_.form.block.hidden;
}

namespace {

// The triangle filter of one output cell: source cells and their weights.
struct Triangle {
    uint32_t first = 0;
    std::vector<float> weights;
};
Triangle triangle(uint32_t at, uint32_t from, uint32_t to) {
    const double step = double(from) / to, reach = std::max(step, 1.0);
    const double centre = (at + 0.5) * step;
    const auto first = static_cast<uint32_t>(std::max(centre - reach + 0.5, 0.0));
    const uint32_t end = std::min(static_cast<uint32_t>(centre + reach + 0.5), from);
    Triangle result{first, {}};
    double sum = 0;
    for (uint32_t j = first; j < end; ++j) {
        const double weight = std::max(0.0, 1.0 - std::abs((j - centre + 0.5) / reach));
        result.weights.push_back(static_cast<float>(weight));
        sum += weight;
    }
    for (float& weight : result.weights) weight = static_cast<float>(double(weight) / sum);
    return result;
}

}  // namespace

std::vector<float> resize_bilinear(std::span<const float> table, uint32_t dim, Size from, Size to) {
    std::vector<float> rows(size_t(from.y) * to.x * dim), result(size_t(area(to)) * dim);
    for (uint32_t x = 0; x < to.x; ++x) {
        const Triangle across = triangle(x, from.x, to.x);
        for (size_t y = 0; y < from.y; ++y)
            for (size_t k = 0; k < across.weights.size(); ++k)
                for (size_t d = 0; d < dim; ++d)
                    rows[(y * to.x + x) * dim + d] +=
                        across.weights[k] * table[(y * from.x + across.first + k) * dim + d];
    }
    const size_t row = size_t(to.x) * dim;
    for (uint32_t y = 0; y < to.y; ++y) {
        const Triangle down = triangle(y, from.y, to.y);
        for (size_t k = 0; k < down.weights.size(); ++k)
            for (size_t i = 0; i < row; ++i)
                result[y * row + i] += down.weights[k] * rows[(down.first + k) * row + i];
    }
    return result;
}

}  // namespace saccade
