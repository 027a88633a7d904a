#include "models/detection/detr.h"

#include "gpu/core/error.h"
#include "gpu/transfer/download.h"
#include "models/detection/test_picture.h"

namespace saccade {

namespace {

constexpr float norm_eps = 1e-5f;
constexpr uint32_t box_layers = 3;

// y = 0: a strided copy of zero rows of another tensor, which only has to be bound.
void clear(Commands& c, const Tensor& y, const Tensor& other) {
    copy_strided(
        c, y,
        {{1, y.batch, y.rows, padded(y.columns)}, {0, y.batch_stride, y.row_stride, 1}, y.offset},
        other, Stored::f32, {{0, 0, 0, 0}, {0, 0, 0, 1}, 0});
}

}  // namespace

Detr::Detr(WeightLoader& front, WeightLoader& weights, const DetrConfig& config)
    : device_(weights.device()),
      config_(config),
      encoder_heads_(heads_of(config.encoder_heads, config.hidden)),
      decoder_heads_(heads_of(config.decoder_heads, config.hidden)),
      backbone_(front, config.backbone, config.prefix() + "model.backbone.conv_encoder.model"),
      positions_(device_, "DETR positions"),
      start_memory_(device_, "DETR queries") {
    const uint32_t dim = config.hidden, channels = config.backbone.channels();
    const std::string root = config.prefix(), model = root + "model.";
    const auto classes = static_cast<uint32_t>(config.labels.size()) + 1;
    input_projection_ = front.linear(model + "input_projection",
                                     {.out = dim, .in = channels, .stored = {dim, channels, 1, 1}});
    for (uint32_t i = 0; i < config.encoder_layers; ++i) {
        const std::string layer = model + "encoder.layers." + std::to_string(i);
        encoder_.push_back(
            {load_self_attention(i == 0 ? front : weights, layer, dim, encoder_heads_, norm_eps),
             load_feed_forward(weights, layer, dim, config.encoder_intermediate, norm_eps)});
    }

    const uint32_t head = dim / config.decoder_heads;
    const LinearForm in{.out = dim, .in = dim, .out_head = head};
    std::vector<std::string> keys, values;
    for (uint32_t i = 0; i < config.decoder_layers; ++i) {
        const std::string layer = model + "decoder.layers." + std::to_string(i);
        const std::string cross = layer + ".encoder_attn";
        decoder_.push_back(
            {load_self_attention(weights, layer, dim, decoder_heads_, norm_eps),
             {.q = weights.linear(cross + ".q_proj", in),
              .out = weights.linear(cross + ".out_proj", {.out = dim, .in = dim, .in_head = head}),
              .norm = weights.norm(cross + "_layer_norm", dim, norm_eps)},
             load_feed_forward(weights, layer, dim, config.decoder_intermediate, norm_eps)});
        keys.push_back(cross + ".k_proj");
        values.push_back(cross + ".v_proj");
    }
    memory_k_ = weights.stacked(keys, in);
    memory_v_ = weights.stacked(values, in);
    decoder_norm_ = weights.norm(model + "decoder.layernorm", dim, norm_eps);
    query_positions_ = weights.tensor(model + "query_position_embeddings.weight",
                                      {config.queries, dim}, config.queries, dim, Type::f32);
    class_head_ = weights.linear(root + "class_labels_classifier", {.out = classes, .in = dim});
    box_head_ = load_mlp(weights, root + "bbox_predictor", dim, dim, 4, box_layers);
    if (config.masks) mask_head_.emplace(weights, mask_head_form());
}

void Detr::prepare(Size picture) {
    const Size grid = backbone_.out_size(picture);
    positions_.prepare(grid, 1, area(grid), config_.hidden,
                       [&](uint32_t) { return sine_positions(grid, config_.hidden); });
    if (!start_.x) prepare_queries();
}

// The decoder's input is zero, so its first self-attention does not depend on the picture and is
// computed once.
void Detr::prepare_queries() {
    Commands c(device_, start_memory_, "DETR queries", 0);
    c.begin();
    const Stream s = stream_around(c, c.scratch(1, config_.queries, config_.hidden, Type::f32),
                                   query_positions_, class_head_.weight.type);
    {
        auto scope = c.scope("decoder");
        Tap no_tap;
        clear(c, s.x, query_positions_);
        if (s.y.type != s.x.type) clear(c, s.y, query_positions_);
        copy(c, s.at, query_positions_);
        self_attend(c, s, s.queries(), decoder_.front().self, decoder_heads_, 0, no_tap);
    }
    c.end();
    c.run();
    start_ = s;
}

DetectionOutput Detr::forward(Commands& c, const Tensor& pixels, Size picture,
                              DetectionTaps& taps) const {
    const Size grid = backbone_.out_size(picture);
    if (positions_.grid() != grid || pixels.rows != area(picture))
        throw Error("DETR was not prepared for pixels " + pixels.shape());
    DetectionOutput out;
    out.logits = c.scratch(pixels.batch, config_.queries, class_head_.weight.rows, Type::f32);
    out.boxes = c.scratch(pixels.batch, config_.queries, 4, Type::f32);

    if (mask_head_)
        for (const auto& [rows, columns] :
             mask_head_->inputs(queries(), backbone_.stage_sizes(picture)))
            out.for_masks.push_back(
                c.scratch(pixels.batch, rows, columns, class_head_.weight.type));
    auto scope = c.scope("DETR");
    const Stream queries = start(c, pixels.batch);
    std::vector<FeatureMap> maps;
    const Stream features = embed(c, pixels, picture, positions_[0], &maps);
    if (mask_head_) keep_for_masks(c, out, features, maps, taps.parts);
    const Stream memory = encode(c, features, taps.encoder);
    decode(c, queries, memory, taps);
    taps.decoder.hidden(c, 0, queries.y);
    if (mask_head_) {
        copy(c, out.for_masks[0], queries.y);
        copy(c, out.for_masks[1], memory.y);
    }

    // Prediction feed-forward networks.                                     (sec. 3.2)
    auto heads = c.scope("heads");
    linear_into(c, out.logits, queries.y, class_head_);
    mlp_into(c, out.boxes, queries.y, box_head_, Activation::sigmoid);
    return out;
}

void Detr::find(Commands& c, const Tensor& found, const DetectionOutput& out, Size frame) const {
    find_by_softmax(c, found, out, labels(), frame);
}

// No norm precedes the first attention.
bool Detr::front_outgrows_half(Device& device) const {
    return !(first_attention_range(device) < half_range);  // true for NaN, too
}

float Detr::first_attention_range(Device& device) const {
    const TestPicture picture(device, -2, 2);
    Arena scratch(device, "test picture scratch");
    Commands c(device, scratch, "test picture", 0);
    Download queries_and_keys;
    c.begin();
    {
        auto scope = c.scope("DETR");
        const Tensor features = embed(c, picture.pixels(c, input_type()), TestPicture::size, {}).y;
        queries_and_keys.record(c, linear(c, features, encoder_.front().self.qk));
    }
    c.end();
    c.run();
    return largest_score(queries_and_keys.floats(), encoder_.front().self.qk.weight.rows,
                         encoder_heads_);
}

// The queries before the decoder's first cross-attention. The copy depends on nothing, so it runs
// in parallel to the backbone.
Stream Detr::start(Commands& c, uint32_t batch) const {
    const Tensor x = c.scratch(batch, config_.queries, config_.hidden, Type::f32);
    const Stream s = stream_around(c, x, query_positions_, class_head_.weight.type);
    copy(c, s.x, start_.x);
    copy(c, s.at, start_.at);
    return s;
}

// Backbone and 1x1 convolution: z_0, one token per cell.                    (sec. 3.2)
Stream Detr::embed(Commands& c, const Tensor& pixels, Size picture, const Tensor& pos,
                   std::vector<FeatureMap>* maps) const {
    const uint32_t cells = area(backbone_.out_size(picture));
    const Tensor x = c.scratch(pixels.batch, cells, config_.hidden, Type::f32);
    const Stream s = stream_around(c, x, pos, input_type());
    auto run_backbone = [&] {
        const std::vector<FeatureMap> stages = backbone_.stages(c, pixels, picture);
        linear_into(c, s.x, stages.back().x, input_projection_);
        if (maps) *maps = stages;
    };
    if (mask_head_) {
        run_backbone();  // without a scope: the mask head reads the maps later
    } else {
        auto scope = c.scope("backbone");
        run_backbone();
    }
    if (s.y.type != s.x.type) copy(c, s.y, s.x);
    if (pos) add_into(c, s.at, s.x, pos);
    return s;
}

// Transformer encoder, in place. After the first norm the products may read a smaller type than
// those of the front.
Stream Detr::encode(Commands& c, const Stream& front, Tap& tap) const {
    const Type type = class_head_.weight.type;
    const Stream s = front.y.type == type ? front : stream_around(c, front.x, front.pos, type);
    auto scope = c.scope("encoder");
    tap.hidden(c, 0, front.x);
    for (uint32_t i = 0; i < encoder_.size(); ++i) {
        const EncoderLayer& w = encoder_[i];
        self_attend(c, i == 0 ? front : s, s.values(), w.self, encoder_heads_, i, tap);
        feed_forward(c, s, s, w.ffn, config_.activation);
        tap.hidden(c, i + 1, s.x);
    }
    tap.features(c, s.x);
    return s;
}

// Transformer decoder: self-attention of the queries, then cross-attention to the encoder's memory.
void Detr::decode(Commands& c, const Stream& s, const Stream& memory, DetectionTaps& taps) const {
    auto scope = c.scope("decoder");
    Tap no_tap;  // of the queries' self-attention
    // All layers read the same memory, so one product each computes their keys and values.
    const Tensor k = linear(c, taps.decoder.tokens(c, memory.at), memory_k_);
    const Tensor v = linear(c, taps.decoder.tokens(c, memory.y), memory_v_);
    const uint32_t dim = k.columns / config_.decoder_layers;

    for (uint32_t i = 0; i < decoder_.size(); ++i) {
        const DecoderLayer& w = decoder_[i];
        if (i > 0)  // prepare_queries() has computed the first
            self_attend(c, s, s.queries(), w.self, decoder_heads_, i, no_tap);
        cross_attend(c, s, k.slice_columns(i * dim, dim), v.slice_columns(i * dim, dim), w.cross, i,
                     taps.decoder);
        feed_forward(c, s, s, w.ffn, config_.activation);
        keep_answers(c, s, i, taps.parts);
    }
    layer_norm_into(c, s.y, s.x, decoder_norm_);
}

// What the heads would answer after a layer: they are trained on each (auxiliary decoding losses,
// sec. 3.2).
void Detr::keep_answers(Commands& c, const Stream& s, uint32_t layer, Parts& parts) const {
    if (!parts.wanted()) return;
    auto scope = c.scope("answers");
    const std::string number = std::to_string(layer);
    const Tensor y = layer_norm(c, s.x, decoder_norm_, class_head_.weight.type);
    const Tensor logits = c.scratch(y.batch, y.rows, class_head_.weight.rows, Type::f32);
    const Tensor boxes = c.scratch(y.batch, y.rows, 4, Type::f32);
    linear_into(c, logits, y, class_head_);
    mlp_into(c, boxes, y, box_head_, Activation::sigmoid);
    parts.keep(c, "layer_logits_" + number, logits);
    parts.keep(c, "layer_boxes_" + number, boxes);
}

// x = LN(x + MHA(q, k, v)) with q = x + query_pos, k = memory + pos, v = memory
void Detr::cross_attend(Commands& c, const Stream& s, const Tensor& k, const Tensor& v,
                        const CrossAttention& w, uint32_t layer, Tap& tap) const {
    auto scope = c.scope("cross-attention");
    const Tensor q = linear(c, s.at, w.q);
    tap.attention(c, layer, q, k, decoder_heads_);
    if (!tap.skips_attention(layer)) {
        const Tensor seen = attention(c, q, k, v, decoder_heads_);
        linear_add(c, s.x, tap.heads(c, layer, seen, decoder_heads_), w.out);
    }
    normalize(c, s.values(), w.norm);
}

MaskHeadForm Detr::mask_head_form() const {
    std::vector<uint32_t> channels;
    for (const ResNetConfig::Stage& stage : config_.backbone.stages)
        channels.push_back(stage.channels);
    return {config_.hidden, encoder_heads_, channels, config_.activation};
}

// Copies tensors that are overwritten before the masks are computed, in the type of the mask head.
void Detr::keep_for_masks(Commands& c, const DetectionOutput& out, const Stream& features,
                          const std::vector<FeatureMap>& maps, Parts& parts) const {
    copy(c, out.for_masks[2], features.x);
    for (size_t i = 0; i < 3; ++i) copy(c, out.for_masks[3 + i], maps[i].x);
    for (size_t i = 0; i < maps.size(); ++i)
        parts.keep(c, "backbone_" + std::to_string(i), maps[i].x, maps[i].size);
}

Size Detr::mask_size(Size picture) const {
    return mask_head_ ? backbone_.stage_sizes(picture).front() : Size{};
}

Tensor Detr::masks(Commands& c, const DetectionOutput& out, const Tensor& queries, Size picture,
                   Parts& parts) const {
    return mask_head_->forward(c, out.for_masks, queries, backbone_.stage_sizes(picture), parts);
}

TokenLayout Detr::layout(Size picture) const {
    const auto stride = static_cast<float>(backbone_.stride());
    return {.grid = backbone_.out_size(picture),
            .first_cell = 0,
            .cross = true,
            .first_query = 0,
            .cell = glm::vec2(stride),
            .origin = 0.5f - stride / 2};  // the first cell is centred on the first pixel
}

double Detr::multiply_adds(Size picture) const {
    const double n = area(backbone_.out_size(picture)), q = config_.queries;
    const double dim = config_.hidden, classes = double(config_.labels.size()) + 1;
    auto attend = [&](double from, double to) {
        return (2 * from + 2 * to) * dim * dim + 2 * from * to * dim;
    };
    const double encoder = attend(n, n) + 2 * n * dim * config_.encoder_intermediate;
    const double decoder = attend(q, q) + attend(q, n) + 2 * q * dim * config_.decoder_intermediate;
    return backbone_.multiply_adds(picture) + n * dim * config_.backbone.channels() +
           config_.encoder_layers * encoder + config_.decoder_layers * decoder +
           q * dim * (2 * dim + 4 + classes);
}

}  // namespace saccade
