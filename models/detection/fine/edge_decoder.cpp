#include "models/detection/fine/edge_decoder.h"

#include <cmath>

namespace saccade {

namespace {

constexpr float gate_eps = 1e-5f, rms_eps = 1e-6f;

// The weighting function W(n) (eq. 3): steps that grow from the middle to both ends; the outermost
// are twice the bound.
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

std::string in_decoder(const std::string& name) { return "model.decoder." + name; }

// The name of this layer's head; if all layers share one, the file stores it for the first only.
std::string head_named(WeightLoader& weights, const std::string& name, uint32_t layer,
                       const std::string& part, const std::vector<uint64_t>& shape) {
    const std::string own = in_decoder(name + "." + std::to_string(layer));
    return weights.source().optional(own + part, shape) ? own : in_decoder(name + ".0");
}

}  // namespace

EdgeDecoder::EdgeDecoder(WeightLoader& weights, const DeformableDecoderConfig& form,
                         const EdgeDecoderConfig& config)
    : form_(form),
      config_(config),
      heads_(heads_of(form.heads, form.dim)),
      deformable_{form.dim, form.heads, form.sampling} {
    const uint32_t dim = form.dim, last = form.layers - 1;
    const std::string positions = in_decoder("query_pos_head");
    query_position_ = config.simplified
                          ? load_mlp(weights, positions, 4, dim, dim, 3)
                          : load_mlp(weights, positions, 4, 2 * dim, dim, position_layers);
    query_position_.between = config.positions;
    first_box_head_ = load_mlp(weights, in_decoder("pre_bbox_head"), dim, dim, 4, box_layers);
    first_box_head_.between = config.boxes;
    for (uint32_t i = 0; i < form.layers; ++i) {
        layers_.push_back(load_layer(weights, i));
        layers_.back().edge_head =
            config.shared_head && i > 0
                ? layers_.front().edge_head
                : load_mlp(weights, in_decoder("bbox_embed." + std::to_string(i)), dim, dim,
                           4 * (config.bins + 1), box_layers);
        layers_.back().edge_head.between = config.boxes;
    }
    if (!config.gateway || head() != wide_head()) narrowing_ = load_narrowing(weights);
    class_head_ =
        weights.linear(head_named(weights, "class_embed", last, ".weight", {classes(), dim}),
                       {.out = classes(), .in = dim});
    quality_ = load_mlp(weights, in_decoder("lqe_layers." + std::to_string(last) + ".reg_conf"),
                        4 * (config.best + 1), config.quality_hidden, 1, config.quality_layers);
    quality_.between = config.quality;
    scale_ = std::abs(weights.floats(in_decoder("reg_scale"), {1})[0]);
    const float up = weights.floats(in_decoder("up"), {1})[0];
    steps_ = weights.table(steps(config.bins, up, scale_), 1, config.bins + 1);
}

EdgeDecoder::Layer EdgeDecoder::load_layer(WeightLoader& weights, uint32_t index) const {
    const std::string layer = in_decoder("layers." + std::to_string(index));
    const std::string cross_norm =
        layer + (config_.gateway ? ".gateway.norm" : ".encoder_attn_layer_norm");
    const uint32_t dim = form_.dim;
    Layer w;
    w.cross = load_deformable_attention(weights, layer + ".encoder_attn", deformable_);
    if (config_.gateway)
        w.gate = weights.linear(layer + ".gateway.gate", {.out = 2 * dim, .in = 2 * dim});
    if (config_.simplified) {
        auto norm = [&](const std::string& name) {
            return load_rms_norm(weights, name, dim, rms_eps);
        };
        w.self =
            load_self_attention(weights, layer, dim, heads_, norm(layer + ".self_attn_layer_norm"));
        w.cross_norm = norm(cross_norm);
        w.ffn = load_gated_feed_forward(weights, layer, dim, form_.intermediate / 2,
                                        norm(layer + ".final_layer_norm"));
    } else {
        w.self = load_self_attention(weights, layer, dim, heads_, form_.norm_eps);
        w.cross_norm = weights.norm(cross_norm, dim, gate_eps);
        w.ffn = load_feed_forward(weights, layer, dim, form_.intermediate, form_.norm_eps);
    }
    return w;
}

Linear EdgeDecoder::load_narrowing(WeightLoader& weights) const {
    const uint32_t in = form_.heads * wide_head();
    HostConvolution host{std::vector<float>(size_t(form_.dim) * in), std::vector<float>(form_.dim)};
    for (uint32_t i = 0; i < form_.dim; ++i)
        host.weight[size_t(i) * in + i / head() * wide_head() + i % head()] = 1;
    return weights.linear(host, in);
}

// Sampling reads four columns at a time: heads of other sizes are padded with zeros.
Tensor EdgeDecoder::with_wide_heads(Commands& c, const Tensor& memory) const {
    if (head() == wide_head()) return memory;
    const uint32_t count = form_.heads, batch = memory.batch, cells = memory.rows;
    const Tensor y = c.scratch(batch, cells, count * wide_head(), memory.type);
    copy_strided(c, y,
                 {{batch, count, cells, wide_head()},
                  {y.batch_stride, wide_head(), y.row_stride, 1},
                  y.offset},
                 memory, memory.type == Type::f16 ? Stored::f16 : Stored::f32,
                 {{batch, count, cells, head()},
                  {memory.batch_stride, head(), memory.row_stride, 1},
                  memory.offset});
    return y;
}

// x = LN(g x + h s), where s is the result of deformable attention and the gates g and h are
// computed from both; without gates x = LN(x + s). `both` holds x and s, concatenated.
void EdgeDecoder::cross_attend(Commands& c, const Stream& s, const Tensor& both,
                               const DecoderInput& d, const Layer& w, uint32_t layer,
                               Tap& tap) const {
    auto scope = c.scope("cross-attention");
    const uint32_t dim = form_.dim;
    const DeformableInput in{s.at, d.boxes.boxes, d.memory, d.levels};
    if (!config_.gateway) {
        linear_add(c, s.x, deformable_attention(c, in, w.cross, deformable_, layer, tap),
                   narrowing_);
        normalize(c, s.values(), w.cross_norm);
        return;
    }
    const Tensor sampled = both.slice_columns(dim, dim);
    if (narrowing_.weight)
        linear_into(c, sampled, deformable_attention(c, in, w.cross, deformable_, layer, tap),
                    narrowing_);
    else
        deformable_attention_into(c, sampled, in, w.cross, deformable_, layer, tap);
    const Tensor gates = c.scratch(s.x.batch, s.x.rows, 2 * dim, Type::f32);
    linear_into(c, gates, both, w.gate, Activation::sigmoid);
    gated_add(c, s.x, sampled, gates);
    normalize(c, s.values(), w.cross_norm);
}

void EdgeDecoder::decode(Commands& c, const DecoderInput& from, const DetectionOutput& out,
                         DetectionTaps& taps) const {
    const uint32_t batch = from.stream.x.batch, rows = from.stream.x.rows, dim = form_.dim;
    const auto count = static_cast<uint32_t>(layers_.size());
    auto room = [&](uint32_t columns, Type type) { return c.scratch(batch, rows, columns, type); };
    const Type type = from.memory.type;
    DecoderInput d = from;
    d.memory = with_wide_heads(c, from.memory);
    // The gateway's input: the stream and the result of cross-attention.
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
        if (i == 0 || !config_.placed_once)
            mlp_into(c, s.pos, d.boxes.copy, query_position_, Activation::clip);
        add_into(c, s.at, s.x, s.pos);
        // The norm writes the gateway's input as well as the queries with their positions.
        self_attend(c, s, s, w.self, heads_, i, taps.queries);
        cross_attend(c, s, both, d, w, i, taps.decoder);
        if (i == 0) {
            feed_forward(c, s, s.values(), w.ffn, form_.activation);
            const Tensor deltas = room(4, Type::f32);
            mlp_into(c, deltas, s.y, first_box_head_);
            refine_boxes(c, first, deltas, d.boxes.boxes);
            mlp_into(c, corners, s.y, w.edge_head);
        } else {
            // The edges are refined from the sum of this layer's output and that of the one before.
            feed_forward(c, s, {s.x, s.y, with_before, before}, w.ffn, form_.activation);
            mlp_add(c, corners, with_before, w.edge_head);
        }
        if (!last) copy(c, before, s.x);
        edge_boxes(c,
                   {last ? Boxes{out.boxes, d.boxes.copy} : d.boxes, last ? statistics : Tensor{}},
                   corners, first.boxes, steps_, scale_, config_.best);
        taps.parts.keep(c, "layer_boxes_" + std::to_string(i), last ? out.boxes : d.boxes.boxes);
    }
    taps.parts.keep(c, "corners", corners);
    taps.decoder.hidden(c, 0, s.x);
    score(c, out, s.y, statistics);
}

// Class logits, plus the quality estimate (LQE) from the statistics of the edges' distributions.
void EdgeDecoder::score(Commands& c, const DetectionOutput& out, const Tensor& y,
                        const Tensor& statistics) const {
    auto scope = c.scope("scores");
    linear_into(c, out.logits, y, class_head_);
    Tensor input = statistics;
    if (y.type != Type::f32) {
        input = c.scratch(statistics.batch, statistics.rows, statistics.columns, y.type);
        copy(c, input, statistics);
    }
    const Tensor quality = c.scratch(y.batch, y.rows, 1, Type::f32);
    mlp_into(c, quality, input, quality_);
    add_column(c, out.logits, quality);
}

double EdgeDecoder::multiply_adds() const {
    const double dim = form_.dim, q = form_.queries, corners = 4.0 * (config_.bins + 1);
    const double gate = config_.gateway ? 4 * dim : 0;
    const double attention = q * dim * (4 * dim + 2 * q) +
                             q * dim * (gate + 3.0 * deformable_.points()) +
                             4 * q * dim * form_.sampling.all_points();
    const double positions = config_.simplified ? dim * (4 + 2 * dim) : 2 * dim * (4 + dim);
    const double ffn = (config_.simplified ? 1.5 : 2.0) * dim * form_.intermediate;
    const double heads = positions + dim * (2 * dim + corners);
    return form_.layers * (attention + q * (ffn + heads)) + q * dim * (classes() + 2 * dim + 4);
}

}  // namespace saccade
