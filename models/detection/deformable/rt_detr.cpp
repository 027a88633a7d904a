#include "models/detection/deformable/rt_detr.h"

namespace saccade {

RtDetr::RtDetr(WeightLoader& front, WeightLoader& weights, const RtDetrConfig& config)
    : HybridDetector(front, weights, config),
      stages_(config.stages),
      backbone_(front, config.backbone, "model.backbone.model") {
    const DeformableDecoderConfig& d = config.decoder;
    const uint32_t dim = d.dim, head = dim / d.heads;
    query_position_ =
        load_mlp(weights, "model.decoder.query_pos_head", 4, 2 * dim, dim, position_layers);
    std::vector<std::string> values;
    for (uint32_t i = 0; i < d.layers; ++i) {
        const std::string number = std::to_string(i), layer = "model.decoder.layers." + number;
        const std::string cross = layer + ".encoder_attn";
        layers_.push_back(
            {.self = load_self_attention(weights, layer, dim, query_heads(), d.norm_eps),
             .cross = load_deformable_attention(weights, cross, deformable_form()),
             .cross_out =
                 weights.linear(cross + ".output_proj", {.out = dim, .in = dim, .in_head = head}),
             .cross_norm = weights.norm(cross + "_layer_norm", dim, d.norm_eps),
             .ffn = load_feed_forward(weights, layer, dim, d.intermediate, d.norm_eps),
             .box_head =
                 load_mlp(weights, "model.decoder.bbox_embed." + number, dim, dim, 4, box_layers)});
        values.push_back(cross + ".value_proj");
    }
    memory_values_ = weights.stacked(values, {.out = dim, .in = dim, .out_head = head});
    // Only the classes of the last layer are used.
    class_head_ = weights.linear("model.decoder.class_embed." + std::to_string(d.layers - 1),
                                 {.out = classes(), .in = dim});
}

std::vector<FeatureMap> RtDetr::backbone_maps(Commands& c, const Tensor& pixels,
                                              Size picture) const {
    const std::vector<FeatureMap> all = backbone_.stages(c, pixels, picture);
    std::vector<FeatureMap> maps;
    for (uint32_t stage : stages_) maps.push_back(all[stage]);
    return maps;
}

std::vector<Size> RtDetr::map_sizes(Size picture) const {
    const std::vector<Size> all = backbone_.stage_sizes(picture);
    std::vector<Size> sizes;
    for (uint32_t stage : stages_) sizes.push_back(all[stage]);
    return sizes;
}

void RtDetr::decode(Commands& c, const DecoderInput& d, const DetectionOutput& out,
                    DetectionTaps& taps) const {
    const Stream& s = d.stream;
    const auto count = static_cast<uint32_t>(layers_.size());
    const uint32_t wide = d.values.columns / count;
    if (s.y.type != s.x.type) copy(c, s.y, s.x);
    const Linear &place_first = query_position_.layers.at(0), &place = query_position_.layers.at(1);
    const Activation between = query_position_.between;
    const Tensor placed = linear(c, d.boxes.copy, place_first, between);
    for (uint32_t i = 0; i < count; ++i) {
        const Layer& w = layers_[i];
        auto layer = c.scope("layer");
        linear_into(c, s.pos, placed, place);
        add_into(c, s.at, s.pos, s.x);
        self_attend(c, s, s.queries(), w.self, query_heads(), i, taps.queries);
        const Tensor sampled = deformable_attention(
            c, {s.at, d.boxes.boxes, d.values.slice_columns(i * wide, wide), d.levels}, w.cross,
            deformable_form(), i, taps.decoder);
        linear_add(c, s.x, sampled, w.cross_out);
        normalize(c, s.values(), w.cross_norm);
        feed_forward(c, s, s.values(), w.ffn, decoder().activation);

        // b = sigmoid(MLP(x) + logit(b))
        const Tensor inner = all_but_last(c, s.y, w.box_head);
        const Tensor deltas = c.scratch(s.x.batch, s.x.rows, 4, Type::f32);
        linear_into(c, deltas, inner, w.box_head.layers.back());
        const bool last = i + 1 == count;
        refine_boxes(c, {last ? out.boxes : d.boxes.boxes, d.boxes.copy}, deltas, d.boxes.boxes);
        taps.parts.keep(c, "layer_boxes_" + std::to_string(i), last ? out.boxes : d.boxes.boxes);
        if (!last) linear_into(c, placed, d.boxes.copy, place_first, between);
    }
    linear_into(c, out.logits, s.y, class_head_);
    taps.decoder.hidden(c, 0, s.x);
}

double RtDetr::decoder_work(uint32_t cells) const {
    const double dim = decoder().dim, q = decoder().queries;
    const double attention = q * dim * (4 * dim + 2 * q) +
                             q * dim * (dim + 3.0 * deformable_form().points()) +
                             4 * q * dim * decoder().sampling.all_points() + cells * dim * dim;
    const double heads = q * (2 * dim * (4 + dim) + dim * (2 * dim + 4));
    return decoder().layers * (attention + 2 * q * dim * decoder().intermediate + heads) +
           q * dim * classes();
}

}  // namespace saccade
