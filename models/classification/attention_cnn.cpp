#include "models/classification/attention_cnn.h"

#include <array>
#include <nlohmann/json.hpp>

#include "gpu/ops/attention.h"
#include "gpu/ops/elementwise.h"
#include "gpu/ops/rows.h"
#include "models/backbone/config.h"
#include "models/backbone/resnet_config.h"

namespace saccade {

AttentionCnnConfig read_attention_cnn_config(const Json& json, const std::string& where) {
    const JsonFields fields(json, where);
    const ModelConfig common = read_model_config(fields);
    require_architecture(fields, common, "attention_cnn", "AttentionCNN");
    AttentionCnnConfig config;
    config.backbone = read_transformers_resnet(fields.object("backbone_config"));
    read_output_stride(fields, config.backbone);
    config.image = fields.whole("image_size", {1, 8192});
    config.inner = fields.whole("attention_size", {1, 4096});
    config.labels = common.labels;
    require_labels(config.labels);
    return config;
}

AttentionCnn::AttentionCnn(WeightLoader& weights, const AttentionCnnConfig& config)
    : config_(config), backbone_(weights, config.backbone, "backbone") {
    const uint32_t channels = config.backbone.channels(), inner = config.inner;
    const std::array<std::string, 3> qkv = {"attention.query", "attention.key", "attention.value"};
    qkv_ = weights.stacked(
        qkv, {.out = inner, .in = channels, .out_head = inner, .stored = {inner, channels, 1, 1}});
    const float gamma = weights.floats("attention.gamma", {1}).front();
    out_ = weights.linear("attention.out", {.out = channels,
                                            .in = inner,
                                            .in_head = inner,
                                            .scale = gamma,
                                            .stored = {channels, inner, 1, 1}});
    head_ = weights.linear(
        "classifier",
        {.out = static_cast<uint32_t>(config.labels.size()), .in = channels, .rows = Rows::any});
}

// beta_ji = softmax_i(f(x_i) g(x_j)), o_j = v(sum_i beta_ji h(x_i)), y_j = gamma o_j + x_j
//                                                                                  (eqs. 1 to 3)
// The classifier reads the mean of y. As v is linear, it is applied to the mean, which is one row.
Tensor AttentionCnn::logits(Commands& c, const Tensor& pixels, Tap& tap) const {
    const Tensor logits = c.scratch(pixels.batch, 1, head_.weight.rows, Type::f32);
    auto scope = c.scope("model");
    const Tensor x = backbone_.forward(c, pixels, picture());
    const Tensor qkv = linear(c, x, qkv_);
    const uint32_t width = padded(config_.inner);
    const Tensor q = qkv.slice_columns(0, width), k = qkv.slice_columns(width, width);
    const Tensor v = qkv.slice_columns(2 * width, width);
    const Heads heads{.count = 1, .scale = 1.0f};
    tap.attention(c, 0, q, k, heads);
    tap.values(c, 0, v);
    const Tensor seen = attention(c, q, k, v, heads);
    if (tap.wants_features()) {
        auto looking = c.scope("features");
        const Tensor y = c.scratch(x.batch, x.rows, x.columns, Type::f32);
        copy(c, y, x);
        linear_add(c, y, seen, out_);
        tap.features(c, y);
    }

    const Tensor mean_seen = c.scratch(x.batch, 1, seen.columns, out_.weight.type);
    mean_rows_into(c, mean_seen, seen);
    const Tensor mean = c.scratch(x.batch, 1, x.columns, Type::f32);
    mean_rows_into(c, mean, x);
    linear_add(c, mean, mean_seen, out_);
    const Tensor y = c.scratch(x.batch, 1, x.columns, head_.weight.type);
    copy(c, y, mean);
    linear_into(c, logits, y, head_);
    return logits;
}

TokenLayout AttentionCnn::layout(uint32_t) const {
    const auto cell = static_cast<float>(backbone_.stride());
    // A cell is centred on the pixel that its convolutions are centred on.
    return {
        .grid = backbone_.out_size(picture()), .cell = glm::vec2(cell), .origin = 0.5f - cell / 2};
}

double AttentionCnn::multiply_adds() const {
    const double cells = area(backbone_.out_size(picture()));
    const double channels = config_.backbone.channels(), inner = config_.inner;
    return backbone_.multiply_adds(picture()) + cells * 3 * channels * inner +
           2 * cells * cells * inner;
}

}  // namespace saccade
