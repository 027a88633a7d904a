#include "models/contrast/owl.h"

#include <array>
#include <cmath>

#include "gpu/core/error.h"
#include "gpu/ops/boxes.h"
#include "gpu/ops/elementwise.h"
#include "models/backbone/config.h"
#include "models/contrast/contrast_model.h"

namespace saccade {

namespace {

constexpr float length_eps = 1e-6f;  // added to the norm of embeddings

float logit(double p) { return static_cast<float>(std::log(p + 1e-4) - std::log1p(1e-4 - p)); }

// The box bias: the logits of a box of a patch's size, centred on the patch's lower right corner.
std::vector<float> patch_boxes(uint32_t grid) {
    std::vector<float> boxes;
    for (uint32_t y = 1; y <= grid; ++y)
        for (uint32_t x = 1; x <= grid; ++x)
            for (double part : {double(x) / grid, double(y) / grid, 1.0 / grid, 1.0 / grid})
                boxes.push_back(logit(part));
    return boxes;
}

}  // namespace

OwlConfig read_owl_config(const Json& json, const std::string& where) {
    const JsonFields fields(json, where);
    const ModelConfig common = read_model_config(fields);
    const bool second = common.model_type == "owlv2";
    require_architecture(fields, common, second ? "owlv2" : "owlvit",
                         second ? "Owlv2ForObjectDetection" : "OwlViTForObjectDetection");
    OwlConfig config{
        .vision = read_vision_tower_config(
            tower_section(fields, "vision_config"),
            {.image = 768,
             .patch = second ? 16u : 32u,
             .form = {12, {768, 12, 3072, 1e-5f, true, Activation::quick_gelu}},
             .pre_norm = "pre_layernorm"}),
        .text = read_text_tower_config(
            tower_section(fields, "text_config"),
            {.form = {12, {512, 8, 2048, 1e-5f, true, Activation::quick_gelu}},
             .vocabulary = 49408,
             .positions = 16,
             .reads = TextTowerConfig::Reads::largest_id,
             .end = 49407,
             .pad = std::nullopt,
             .projection = "text_projection",
             .projected = fields.whole("projection_dim", {1, 65536}, 512)}),
        .name = common.model_type,
        .square = second,
        .objectness = second,
    };
    if (config.text.projected != config.text.form.block.hidden)
        fields.refuse("projection_dim", "differs from the text tower's hidden_size");
    config.merge_eps = config.vision.form.block.norm_eps;
    return config;
}

void follow_authors(OwlConfig& config) {
    config.heads = Activation::gelu_tanh;
    config.merge_eps = 1e-6f;
    config.square = config.grey = true;
}

bool Owl::adapt(Preprocessor& preprocessor) const {
    if (!config_.grey) return false;
    preprocessor.blurs = preprocessor.square = true;
    preprocessor.padding = 127.5f;
    return true;
}

Owl::Owl(WeightLoader& weights, const OwlConfig& config)
    : config_(config),
      vision_(weights, config.name + ".vision_model", config.vision),
      phrases_(weights.device(), TextTower(weights, config.name + ".", config.text),
               {.eps = length_eps}, "{}"),
      places_(weights.device(), "places of patches") {
    const EncoderForm& form = config.vision.form.block;
    const uint32_t dim = form.hidden;
    post_norm_ = weights.norm(config.name + ".vision_model.post_layernorm", dim, form.norm_eps);
    norm_ = weights.norm("layer_norm", dim, config.merge_eps);
    class_vector_ = weights.linear("class_head.dense0", {.out = config.text.projected, .in = dim});
    const std::array<std::string, 2> gauge = {"class_head.logit_shift", "class_head.logit_scale"};
    gauge_ = weights.stacked(gauge, {.out = 1, .in = dim});
    box_head_ = load_head(weights, "box_head", dim, 4);
    if (config.objectness) objectness_head_ = load_head(weights, "objectness_head", dim, 1);
}

Owl::Head Owl::load_head(WeightLoader& weights, const std::string& name, uint32_t dim,
                         uint32_t out) {
    return {weights.linear(name + ".dense0", {.out = dim, .in = dim}),
            weights.linear(name + ".dense1", {.out = dim, .in = dim}),
            weights.linear(name + ".dense2", {.out = out, .in = dim})};
}

void Owl::prepare(Size picture) {
    const uint32_t side = config_.vision.image, grid = config_.vision.grid();
    if (picture != Size{side, side})
        throw Error("the model takes pictures of " + std::to_string(side) + "x" +
                    std::to_string(side) + ", its preprocessor makes " + std::to_string(picture.x) +
                    "x" + std::to_string(picture.y) +
                    ": preprocessor_config.json does not match config.json");
    places_.prepare({grid, grid}, 1, grid * grid, 4, [&](uint32_t) { return patch_boxes(grid); });
}

// LN(patches * class token), both after the tower's own norm
Tensor Owl::features(Commands& c, const Tensor& z) const {
    const Tensor y = c.scratch(z.batch, z.rows - 1, z.columns, class_vector_.weight.type);
    auto scope = c.scope("merge");
    const Tensor x = layer_norm(c, z, post_norm_, Type::f32);
    const Tensor merged = multiply(c, x.slice_rows(1, x.rows - 1), x.slice_rows(0, 1), Type::f32);
    layer_norm_into(c, y, merged, norm_);
    return y;
}

Tensor Owl::query_vectors(Commands& c, const Tensor& features) const {
    const Tensor x = c.scratch(features.batch, features.rows, class_vector_.weight.rows, Type::f32);
    linear_into(c, x, features, class_vector_);
    return x;
}

Tensor Owl::class_vectors(Commands& c, const Tensor& features) const {
    return unit_rows(c, query_vectors(c, features), length_eps, Type::f32);
}

Tensor Owl::objectness(Commands& c, const Tensor& features) const {
    const Tensor y = c.scratch(features.batch, features.rows, 1, Type::f32);
    const Head& w = objectness_head_;
    const Tensor x =
        linear(c, linear(c, features, w.dense0, config_.heads), w.dense1, config_.heads);
    linear_into(c, y, x, w.dense2);
    return y;
}

// sigmoid(MLP(x) + box bias)
Tensor Owl::boxes(Commands& c, const Tensor& features) const {
    const Tensor y = c.scratch(features.batch, features.rows, 4, Type::f32);
    const Tensor x = linear(c, linear(c, features, box_head_.dense0, config_.heads),
                            box_head_.dense1, config_.heads);
    copy(c, y, places_[0]);
    linear_add(c, y, x, box_head_.dense2);
    return multiply(c, y, {}, Type::f32, Activation::sigmoid);
}

DetectionOutput Owl::forward(Commands& c, const Tensor& patches, Size, DetectionTaps& taps) const {
    phrases_.layer();  // throws before anything is recorded if there are no phrases
    const Tensor z = vision_.encode(c, patches, taps.encoder);
    if (taps.encoder.wants_features())
        taps.encoder.features(c, layer_norm(c, z, post_norm_, Type::f32));
    const Tensor x = features(c, z);
    taps.decoder.hidden(c, 0, x);
    return {logits(c, x), boxes(c, x)};
}

// (cosine + shift) * (elu(scale) + 1)
Tensor Owl::logits(Commands& c, const Tensor& features) const {
    const Linear& phrases = phrases_.layer();
    const Tensor y = c.scratch(features.batch, features.rows, phrases.weight.rows, Type::f32);
    const Tensor gauge = c.scratch(features.batch, features.rows, 2, Type::f32);
    linear_into(c, y, class_vectors(c, features), phrases);
    linear_into(c, gauge, features, gauge_);
    gauge_in_place(c, y, gauge);
    return y;
}

Tensor Owl::likeness(Commands& c, const Tensor& features) const {
    return multiply(c, logits(c, features), {}, Type::f32, Activation::sigmoid);
}

void Owl::find(Commands& c, const Tensor& found, const DetectionOutput& out, Size frame) const {
    matches_into(c, found, out.logits, out.boxes, seen_of(frame));
}

glm::vec2 Owl::seen_of(Size frame) const {
    return config_.square ? glm::vec2(static_cast<float>(std::max(frame.x, frame.y)))
                          : glm::vec2(frame);
}

TokenLayout Owl::layout(Size) const {
    const uint32_t grid = config_.vision.grid();
    return {.grid = {grid, grid}, .first_cell = 1, .first_query = 1, .cell = glm::vec2(patch())};
}

double Owl::multiply_adds(Size) const {
    const double n = queries(), dim = config_.vision.form.block.hidden;
    return vision_.multiply_adds() + n * dim * (2 * dim + config_.text.projected + 6);
}

}  // namespace saccade
