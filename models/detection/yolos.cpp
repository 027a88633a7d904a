#include "models/detection/yolos.h"

#include "gpu/core/error.h"

namespace saccade {

namespace {
constexpr uint32_t head_layers = 3;
}

Yolos::Yolos(WeightLoader& weights, const YolosConfig& config)
    : config_(config),
      form_{config.hidden,   config.heads,    config.intermediate,
            config.norm_eps, config.qkv_bias, config.activation},
      positions_(weights.device(), "YOLOS positions") {
    const uint32_t dim = config.hidden, tokens = config.tokens(), found = config.detection_tokens;
    patch_embedding_ = weights.linear("vit.embeddings.patch_embeddings.projection",
                                      {.out = dim,
                                       .in = 3 * config.patch * config.patch,
                                       .stored = {dim, 3, config.patch, config.patch}});
    for (uint32_t i = 0; i < config.layers; ++i)
        blocks_.push_back(
            load_encoder_block(weights, "vit.encoder.layer." + std::to_string(i), form_));
    norm_ = weights.norm("vit.layernorm", dim, config.norm_eps);
    const auto classes = static_cast<uint32_t>(config.labels.size()) + 1;
    class_head_ = load_mlp(weights, "class_labels_classifier", dim, dim, classes, head_layers);
    box_head_ = load_mlp(weights, "bbox_predictor", dim, dim, 4, head_layers);

    // The class token and the detection tokens are constants, so they are added to their positions.
    std::vector<float> start =
        weights.floats("vit.embeddings.position_embeddings", {1, tokens, dim});
    auto add = [&](size_t first_token, const std::vector<float>& values) {
        for (size_t i = 0; i < values.size(); ++i) start[first_token * dim + i] += values[i];
    };
    add(0, weights.floats("vit.embeddings.cls_token", {1, 1, dim}));
    add(tokens - found, weights.floats("vit.embeddings.detection_tokens", {1, found, dim}));
    stored_positions_.push_back(std::move(start));
    if (config.mid_positions && config.layers > 1) {
        const std::vector<float> mid = weights.floats("vit.encoder.mid_position_embeddings",
                                                      {config.layers - 1, 1, tokens, dim});
        for (uint32_t i = 0; i + 1 < config.layers; ++i) {
            const auto table = mid.begin() + std::ptrdiff_t(size_t(i) * tokens * dim);
            stored_positions_.emplace_back(table, table + std::ptrdiff_t(size_t(tokens) * dim));
        }
    }
}

// Resizes the positions of the patches like a picture; those of the other tokens stay.
std::vector<float> Yolos::resized(std::span<const float> stored, Size grid) const {
    const size_t dim = config_.hidden, patches = area(config_.grid) * dim;
    const std::vector<float> middle =
        resize_bicubic(stored.subspan(dim, patches), config_.hidden, config_.grid, grid);
    std::vector<float> result(stored.begin(), stored.begin() + std::ptrdiff_t(dim));
    result.insert(result.end(), middle.begin(), middle.end());
    result.insert(result.end(), stored.begin() + std::ptrdiff_t(dim + patches), stored.end());
    return result;
}

void Yolos::prepare(Size picture) {
    const Size grid = grid_of(picture);
    positions_.prepare(grid, static_cast<uint32_t>(stored_positions_.size()),
                       1 + area(grid) + config_.detection_tokens, config_.hidden,
                       [&](uint32_t table) { return resized(stored_positions_[table], grid); });
}

// z_0 = [x_cls; x_p E; x_det] + P                                                      (eq. 1)
void Yolos::embed(Commands& c, const Tensor& z, const Tensor& patches) const {
    auto scope = c.scope("embed");
    copy(c, z, positions_[0]);
    linear_add(c, z.slice_rows(1, patches.rows), patches, patch_embedding_);
}

DetectionOutput Yolos::forward(Commands& c, const Tensor& patches, Size picture,
                               DetectionTaps& taps) const {
    const TokenLayout tokens = layout(picture);
    const uint32_t found = config_.detection_tokens;
    if (positions_.grid() != tokens.grid || patches.rows != area(tokens.grid))
        throw Error("YOLOS was not prepared for patches " + patches.shape());
    DetectionOutput out = room_for_answers(c, patches.batch);
    const Tensor all =
        c.scratch(patches.batch, tokens.first_query + found, config_.hidden, Type::f32);
    embed(c, all, patches);
    const Tensor z = taps.encoder.tokens(c, all);
    taps.encoder.hidden(c, 0, z);
    ResidualStream stream(c, z, patch_embedding_.weight.type);
    for (uint32_t i = 0; i < config_.layers; ++i) {
        encoder_block(c, stream, blocks_[i], form_, i, taps.encoder);
        keep_answers(c, z, i, taps.parts);
        if (config_.mid_positions && i + 1 < config_.layers) {
            auto scope = c.scope("positions");
            add_into(c, z, z, taps.encoder.tokens(c, positions_[i + 1], z.batch));
            stream.changed();
        }
        taps.encoder.hidden(c, i + 1, z);
    }

    auto scope = c.scope("heads");
    if (taps.encoder.wants_features()) taps.encoder.features(c, layer_norm(c, z, norm_, Type::f32));
    const Tensor queries = queries_of(c, z);
    taps.decoder.hidden(c, 0, queries);
    answer(c, queries, out);
    return out;
}

DetectionOutput Yolos::room_for_answers(Commands& c, uint32_t batch) const {
    const uint32_t found = config_.detection_tokens;
    DetectionOutput out;
    out.logits = c.scratch(batch, found, class_head_.layers.back().weight.rows, Type::f32);
    out.boxes = c.scratch(batch, found, 4, Type::f32);
    return out;
}

// The detection tokens, which are the last of the stream, as the heads read them.
Tensor Yolos::queries_of(Commands& c, const Tensor& z) const {
    const uint32_t found = config_.detection_tokens;
    return layer_norm(c, z.slice_rows(z.rows - found, found), norm_, patch_embedding_.weight.type);
}

// Two MLPs read each detection token.                                       (sec. 3.1, "heads")
void Yolos::answer(Commands& c, const Tensor& queries, const DetectionOutput& out) const {
    mlp_into(c, out.logits, queries, class_head_);
    mlp_into(c, out.boxes, queries, box_head_, Activation::sigmoid);
}

// What the heads would answer after a layer. They were trained on the last one alone.
void Yolos::keep_answers(Commands& c, const Tensor& z, uint32_t layer, Parts& parts) const {
    if (!parts.wanted()) return;
    auto scope = c.scope("answers");
    const std::string number = std::to_string(layer);
    const DetectionOutput out = room_for_answers(c, z.batch);
    answer(c, queries_of(c, z), out);
    parts.keep(c, "layer_logits_" + number, out.logits);
    parts.keep(c, "layer_boxes_" + number, out.boxes);
}

void Yolos::find(Commands& c, const Tensor& found, const DetectionOutput& out, Size frame) const {
    find_by_softmax(c, found, out, labels(), frame);
}

TokenLayout Yolos::layout(Size picture) const {
    const Size grid = grid_of(picture);
    return {.grid = grid,
            .first_cell = 1,
            .cross = false,
            .first_query = 1 + area(grid),
            .cell = glm::vec2(static_cast<float>(config_.patch)),
            .origin = 0};
}

double Yolos::multiply_adds(Size picture) const {
    const double cells = area(grid_of(picture)), found = config_.detection_tokens;
    const double tokens = 1 + cells + found, dim = config_.hidden;
    const double block =
        tokens * dim * (4 * dim + 2.0 * config_.intermediate) + 2 * tokens * tokens * dim;
    const double heads = found * dim * (4 * dim + double(config_.labels.size()) + 1 + 4);
    return config_.layers * block + cells * dim * 3 * config_.patch * config_.patch + heads;
}

}  // namespace saccade
