#include "models/detection/deformable/d_fine.h"

#include <cmath>

namespace saccade {

namespace {

constexpr float gate_eps = 1e-5f;

// W(n): steps that grow from the middle to both ends, the last of which are twice the bound. (eq. 3)
std::vector<float> steps(uint32_t bins, float up, float scale) {
    const double bound = std::abs(double(up)) * std::abs(double(scale));
    const double base = std::pow(bound + 1, 2.0 / (bins - 2));
    std::vector<float> all(bins + 1);
    all.front() = static_cast<float>(-2 * bound);
    all.back() = static_cast<float>(2 * bound);
    for (uint32_t i = 1; i < bins / 2; ++i) {
        const auto step = static_cast<float>(std::pow(base, i) - 1);
        all[bins / 2 - i] = -step;
        all[bins / 2 + i] = step;
    }
    return all;
}

}  // namespace

DFine::DFine(WeightLoader& front, WeightLoader& weights, const DFineConfig& config)
    : HybridDetector(front, weights, config),
      config_(config),
      backbone_(front, config.backbone, "model.backbone.model") {
    const DeformableDecoderConfig& d = config.decoder;
    const uint32_t dim = d.dim, corners = 4 * (config.bins + 1);
    const std::string decoder = "model.decoder.";
    query_position_ =
        load_perceptron(weights, decoder + "query_pos_head", 4, 2 * dim, dim, position_layers);
    first_box_head_ = load_perceptron(weights, decoder + "pre_bbox_head", dim, dim, 4, box_layers);
    for (uint32_t i = 0; i < d.layers; ++i) {
        const std::string number = std::to_string(i), layer = decoder + "layers." + number;
        layers_.push_back(
            {.self = load_self_attention(weights, layer, dim, query_heads(), d.norm_eps),
             .cross =
                 load_deformable_attention(weights, layer + ".encoder_attn", deformable_form()),
             .gate = weights.linear(layer + ".gateway.gate", {.out = 2 * dim, .in = 2 * dim}),
             .gate_norm = weights.norm(layer + ".gateway.norm", dim, gate_eps),
             .ffn = load_feed_forward(weights, layer, dim, d.intermediate, d.norm_eps),
             .edge_head = load_perceptron(weights, decoder + "bbox_embed." + number, dim, dim,
                                          corners, box_layers)});
    }
    const std::string last = std::to_string(d.layers - 1);
    class_head_ =
        weights.linear(decoder + "class_embed." + last, {.out = classes(), .in = dim});
    quality_ = load_perceptron(weights, decoder + "lqe_layers." + last + ".reg_conf",
                               4 * (config.best + 1), config.quality_hidden, 1,
                               config.quality_layers);
    scale_ = std::abs(weights.floats(decoder + "reg_scale", {1})[0]);
    const float up = weights.floats(decoder + "up", {1})[0];
    steps_ = weights.table(steps(config.bins, up, scale_), 1, config.bins + 1);
}

std::vector<FeatureMap> DFine::look(Commands& c, const Tensor& pixels, Size picture) const {
    const std::vector<FeatureMap> all = backbone_.stages(c, pixels, picture);
    std::vector<FeatureMap> maps;
    for (uint32_t stage : config_.stages) maps.push_back(all[stage]);
    return maps;
}

std::vector<Size> DFine::map_sizes(Size picture) const {
    const std::vector<Size> all = backbone_.stage_sizes(picture);
    std::vector<Size> sizes;
    for (uint32_t stage : config_.stages) sizes.push_back(all[stage]);
    return sizes;
}

// x = LN(g x + h seen), the gates g and h from both. `both` holds x on its left.
void DFine::look_around(Commands& c, const Stream& s, const Tensor& both, const Decoding& d,
                        const Layer& w, uint32_t layer, Tap& tap) const {
    auto scope = c.scope("cross-attention");
    const uint32_t dim = decoder().dim;
    const Tensor seen = both.slice_columns(dim, dim);
    deformable_attention_into(c, seen, s.at, d.boxes.boxes, d.memory, d.levels, w.cross,
                              deformable_form(), layer, tap);
    const Tensor gates = c.scratch(s.x.batch, s.x.rows, 2 * dim, Type::f32);
    linear_into(c, gates, both, w.gate, Activation::sigmoid);
    gated_add(c, s.x, seen, gates);
    normalize(c, s.values(), w.gate_norm);
}

void DFine::decode(Commands& c, const Decoding& d, const DetectionOutput& out,
                   DetectionTaps& taps) const {
    const uint32_t batch = d.stream.x.batch, rows = d.stream.x.rows, dim = decoder().dim;
    const auto count = static_cast<uint32_t>(layers_.size());
    auto room = [&](uint32_t columns, Type type) { return c.scratch(batch, rows, columns, type); };
    const Type type = d.memory.type;
    // What a gate reads: the stream, and beside it what was seen.
    const Tensor both = room(2 * dim, type);
    const Stream s{d.stream.x, both.slice_columns(0, dim), d.stream.at, d.stream.pos};
    const Tensor before = room(dim, Type::f32), with_before = room(dim, type);
    const Tensor corners = room(4 * (config_.bins + 1), Type::f32);
    const Tensor statistics = room(4 * (config_.best + 1), Type::f32);
    const Boxes first{room(4, Type::f32), room(4, type)};

    copy(c, s.y, s.x);
    for (uint32_t i = 0; i < count; ++i) {
        const Layer& w = layers_[i];
        const bool last = i + 1 == count;
        auto layer = c.scope("layer");
        perceptron_into(c, s.pos, d.boxes.copy, query_position_, Activation::clip);
        add_into(c, s.at, s.x, s.pos);
        // The stream goes to the gate and to where its positions are added.
        self_attend(c, s, s, w.self, query_heads(), i, taps.queries);
        look_around(c, s, both, d, w, i, taps.decoder);
        if (i == 0) {
            feed_forward(c, s, s.values(), w.ffn, decoder().activation);
            const Tensor deltas = room(4, Type::f32);
            perceptron_into(c, deltas, s.y, first_box_head_);
            refine_boxes(c, first, deltas, d.boxes.boxes);
            perceptron_into(c, corners, s.y, w.edge_head);
        } else {
            // The edges are refined by what this layer and the one before it know.
            feed_forward(c, s, {s.x, s.y, with_before, before}, w.ffn, decoder().activation);
            perceptron_add(c, corners, with_before, w.edge_head);
        }
        if (!last) copy(c, before, s.x);
        edge_boxes(c,
                   {last ? Boxes{out.boxes, d.boxes.copy} : d.boxes, last ? statistics : Tensor{}},
                   corners, first.boxes, steps_, scale_, config_.best);
    }
    taps.parts.keep(c, "corners", corners);
    taps.decoder.hidden(c, 0, s.x);
    score(c, out, s.y, statistics);
}

// Scores, and what the edges' distributions say of the box's quality.
void DFine::score(Commands& c, const DetectionOutput& out, const Tensor& y,
                  const Tensor& statistics) const {
    auto scope = c.scope("scores");
    linear_into(c, out.logits, y, class_head_);
    Tensor told = statistics;
    if (y.type != Type::f32) {
        told = c.scratch(statistics.batch, statistics.rows, statistics.columns, y.type);
        copy(c, told, statistics);
    }
    const Tensor quality = c.scratch(y.batch, y.rows, 1, Type::f32);
    perceptron_into(c, quality, told, quality_);
    add_column(c, out.logits, quality);
}

double DFine::decoder_work(uint32_t) const {
    const double dim = decoder().dim, q = decoder().queries, corners = 4.0 * (config_.bins + 1);
    const double attention = q * dim * (4 * dim + 2 * q) +
                             q * dim * (4 * dim + 3.0 * deformable_form().points()) +
                             4 * q * dim * decoder().sampling.all_points();
    const double heads = q * (2 * dim * (4 + dim) + dim * (2 * dim + corners));
    return decoder().layers * (attention + 2 * q * dim * decoder().intermediate + heads) +
           q * dim * (classes() + 2 * dim + 4);
}

}  // namespace saccade
