#include "models/detection/deformable/rf_detr.h"

#include <cstring>
#include <limits>

#include "gpu/core/error.h"
#include "gpu/recorder/upload.h"
#include "models/detection/deformable/query_selection.h"

namespace saccade {

namespace {

constexpr float decoder_eps = 1e-5f, projector_eps = 1e-6f;
constexpr float proposal_size = 0.05f;

// Some rows of a stacked layer, with heads padded to multiples of eight.
HostConvolution rows_of(const HostConvolution& all, uint32_t first, uint32_t count, uint32_t in,
                        uint32_t head) {
    HostConvolution part;
    for (uint32_t i = first; i < first + count; i += head) {
        const auto row = all.weight.begin() + std::ptrdiff_t(size_t(i) * in);
        part.weight.insert(part.weight.end(), row, row + std::ptrdiff_t(size_t(head) * in));
        part.weight.resize(part.weight.size() + size_t(padded(head) - head) * in);
        part.bias.insert(part.bias.end(), all.bias.begin() + i, all.bias.begin() + i + head);
        part.bias.resize(part.bias.size() + padded(head) - head);
    }
    return part;
}

}  // namespace

RfDetr::RfDetr(WeightLoader& weights, const RfDetrConfig& config)
    : device_(weights.device()),
      config_(config),
      type_(weights.type()),
      self_heads_(heads_of(config.self_heads, config.dim)),
      deformable_{config.dim, config.cross_heads, config.sampling},
      backbone_(weights, config.backbone, "backbone.0.encoder.encoder") {
    const uint32_t dim = config.dim, hidden = config.hidden;
    const std::string projector = "backbone.0.projector.stages.0.";
    project_in_ = load_conv_norm(
        weights, projector + "0.cv1", 2 * hidden,
        std::vector<uint32_t>(config.backbone.stages.size(), config.backbone.hidden), 1);
    for (uint32_t i = 0; i < config.blocks; ++i) {
        const std::string block = projector + "0.m." + std::to_string(i);
        bottlenecks_.emplace_back(load_conv_norm(weights, block + ".cv1", hidden, {hidden}, 3),
                                  load_conv_norm(weights, block + ".cv2", hidden, {hidden}, 3));
    }
    project_out_ = load_conv_norm(weights, projector + "0.cv2", dim,
                                  std::vector<uint32_t>(2 + config.blocks, hidden), 1);
    projector_norm_ = weights.norm(projector + "1", dim, projector_eps);

    const std::string encoder = "transformer.enc_out";
    cell_output_ = weights.linear(encoder + "put.0", {.out = dim, .in = dim});
    cell_norm_ = weights.norm(encoder + "put_norm.0", dim, decoder_eps);
    cell_classes_ = weights.linear(encoder + "_class_embed.0", {.out = classes(), .in = dim});
    cell_boxes_ = load_mlp(weights, encoder + "_bbox_embed.0", dim, dim, 4, box_layers);
    const uint32_t all = config.queries * config.groups;
    query_content_ = weights.tensor("query_feat.weight", {all, dim}, all, dim, Type::f32)
                         .slice_rows(0, config.queries);
    query_boxes_ = weights.tensor("refpoint_embed.weight", {all, 4}, all, 4, Type::f32)
                       .slice_rows(0, config.queries);
    never_ = weights.table(std::vector<float>(classes(), -std::numeric_limits<float>::infinity()),
                           1, classes());

    const std::string decoder = "transformer.decoder.";
    query_position_ =
        load_mlp(weights, decoder + "ref_point_head", 2 * dim, dim, dim, position_layers);
    std::vector<std::string> values;
    for (uint32_t i = 0; i < config.layers; ++i) {
        const std::string layer = decoder + "layers." + std::to_string(i);
        layers_.push_back(load_layer(weights, layer));
        values.push_back(layer + ".cross_attn.value_proj");
    }
    memory_values_ =
        weights.stacked(values, {.out = dim, .in = dim, .out_head = dim / config.cross_heads});
    norm_ = weights.norm(decoder + "norm", dim, decoder_eps);
    class_head_ = weights.linear("class_embed", {.out = classes(), .in = dim});
    box_head_ = load_mlp(weights, "bbox_embed", dim, dim, 4, box_layers);
    if (config.masks) mask_head_.emplace(weights, *config.masks);
}

RfDetr::ConvNorm RfDetr::load_conv_norm(WeightLoader& weights, const std::string& prefix,
                                        uint32_t out, const std::vector<uint32_t>& in,
                                        uint32_t kernel) const {
    uint32_t channels = 0;
    for (uint32_t count : in) channels += count;
    const HostConvolution host{
        weights.floats(prefix + ".conv.weight", {out, channels, kernel, kernel}),
        std::vector<float>(out)};
    return {weights.convolution(
                prefix, with_gaps(host, in, kernel * kernel),
                {.out = out, .in = merged(in), .kernel = kernel, .padding = kernel / 2}),
            weights.norm(prefix + ".bn", out, config_.norm_eps)};
}

RfDetr::Layer RfDetr::load_layer(WeightLoader& weights, const std::string& prefix) const {
    const uint32_t dim = config_.dim, head = dim / config_.self_heads;
    const std::string self = prefix + ".self_attn";
    const HostConvolution qkv{weights.floats(self + ".in_proj_weight", {3 * dim, dim}),
                              weights.floats(self + ".in_proj_bias", {3 * dim})};
    return {
        .self = {.qk = weights.linear(rows_of(qkv, 0, 2 * dim, dim, head), dim),
                 .v = weights.linear(rows_of(qkv, 2 * dim, dim, dim, head), dim),
                 .out =
                     weights.linear(self + ".out_proj", {.out = dim, .in = dim, .in_head = head}),
                 .norm = weights.norm(prefix + ".norm1", dim, decoder_eps)},
        .cross = load_deformable_attention(weights, prefix + ".cross_attn", deformable_),
        .cross_out = weights.linear(prefix + ".cross_attn.output_proj",
                                    {.out = dim, .in = dim, .in_head = dim / config_.cross_heads}),
        .cross_norm = weights.norm(prefix + ".norm2", dim, decoder_eps),
        .ffn = {.fc1 =
                    weights.linear(prefix + ".linear1", {.out = config_.intermediate, .in = dim}),
                .fc2 =
                    weights.linear(prefix + ".linear2", {.out = dim, .in = config_.intermediate}),
                .norm = weights.norm(prefix + ".norm3", dim, decoder_eps)},
    };
}

void RfDetr::prepare(Size picture) {
    backbone_.prepare(picture);
    const Size grid = backbone_.grid_of(picture);
    at_.choose(grid, [&] {
        if (area(grid) < config_.queries)
            throw Error("this model's " + std::to_string(config_.queries) +
                        " queries need more cells than a picture of " + std::to_string(picture.x) +
                        "x" + std::to_string(picture.y) + " has");
        return places_for(grid);
    });
}

RfDetr::Places RfDetr::places_for(Size grid) const {
    std::vector<uint32_t> outside;
    const uint32_t cells = area(grid);
    const uint64_t bytes = (tensor_bytes(1, cells, 4, Type::f32) + 255) / 256 * 256;
    Places places;
    places.memory =
        Buffer(device_, "proposals", bytes + tensor_bytes(1, 1, cells, Type::u32), Memory::device);
    places.proposals = make_tensor(places.memory.handle(), 0, 1, cells, 4, Type::f32);
    upload(device_, places.proposals, [&](std::span<std::byte> staged) {
        for (uint32_t i = 0; i < cells; ++i) {
            float box[4] = {(static_cast<float>(i % grid.x) + 0.5f) / static_cast<float>(grid.x),
                            (static_cast<float>(i / grid.x) + 0.5f) / static_cast<float>(grid.y),
                            proposal_size, proposal_size};
            bool inside = true;
            for (float v : box) inside &= v > border && v < 1 - border;
            if (!inside) {
                outside.push_back(i);
                std::fill_n(box, 4, 0.0f);
            }
            std::memcpy(&staged[size_t(i) * places.proposals.row_stride * sizeof(float)], box,
                        sizeof box);
        }
    });
    if (!outside.empty()) {
        const auto count = static_cast<uint32_t>(outside.size());
        places.outside = make_tensor(places.memory.handle(), bytes, 1, 1, count, Type::u32);
        upload(device_, places.outside, [&](std::span<std::byte> staged) {
            std::memcpy(staged.data(), outside.data(), outside.size() * sizeof(uint32_t));
        });
    }
    return places;
}

DetectionOutput RfDetr::forward(Commands& c, const Tensor& patches, Size picture,
                                DetectionTaps& taps) const {
    const Size grid = backbone_.grid_of(picture);
    if (!at_.is(grid)) throw Error("RF-DETR was not prepared for patches " + patches.shape());
    const uint32_t batch = patches.batch, count = config_.queries, dim = config_.dim;
    DetectionOutput out{c.scratch(batch, count, classes(), Type::f32),
                        c.scratch(batch, count, 4, Type::f32)};
    if (mask_head_)
        out.for_masks = {c.scratch(batch, count, dim, type_),
                         c.scratch(batch, area(grid), dim, type_)};
    auto scope = c.scope("RF-DETR");
    const Tensor maps = backbone_.windows(c, batch, picture, type_);
    backbone_.forward(c, maps, patches, picture, taps.encoder, taps.parts);
    const Tensor memory = project(c, maps, grid);
    taps.parts.keep(c, "projector", memory, grid);
    const Tensor values = c.scratch(batch, memory.rows, memory_values_.weight.rows, type_);
    const Tensor sines = c.scratch(batch, count, 2 * dim, type_);
    const Boxes boxes = choose(c, memory, values, sines, taps.parts);

    Stream s = stream_around(c, c.scratch(batch, count, dim, Type::f32), {}, type_);
    s.pos = c.scratch(batch, count, dim, Type::f32);
    s.at = c.scratch(batch, count, dim, type_);
    auto decoding = c.scope("decoder");
    decode(c, s, boxes.boxes, sines, values, grid, taps);
    const Tensor deltas = c.scratch(batch, count, 4, Type::f32);
    normalize(c, s.values(), norm_);
    taps.decoder.hidden(c, 0, s.y);
    linear_into(c, out.logits, s.y, class_head_);
    mlp_into(c, deltas, s.y, box_head_);
    scale_boxes(c, {out.boxes, boxes.copy}, deltas, boxes.boxes);
    if (mask_head_) {
        copy(c, out.for_masks[0], s.y);
        copy(c, out.for_masks[1], memory);
    }
    return out;
}

Size RfDetr::mask_size(Size picture) const {
    return mask_head_ ? mask_head_->mask_size(picture) : Size{};
}

Tensor RfDetr::masks(Commands& c, const DetectionOutput& out, const Tensor& queries, Size picture,
                     Parts&) const {
    const Tensor chosen = gather_rows(c, out.for_masks[0], queries, type_);
    return mask_head_->forward(c, out.for_masks[1], backbone_.grid_of(picture), chosen, picture);
}

void RfDetr::conv_norm_into(Commands& c, const Tensor& y, const Tensor& x, Size size,
                            const ConvNorm& w, const Norm* next) const {
    auto scope = c.scope("convolution");
    norm_activate_into(c, y, conv2d(c, x, size, w.convolution), w.norm,
                       config_.projector_activation, next);
}

// C2f: the outputs of all bottlenecks are concatenated. The first convolution is 1x1 and
// independent of the order of cells, so only its output is reordered from windows to the picture.
Tensor RfDetr::project(Commands& c, const Tensor& windows, Size grid) const {
    const uint32_t hidden = config_.hidden, wide = padded(hidden), cells = area(grid);
    const uint32_t batch = windows.batch / backbone_.window_count();
    const Tensor y = c.scratch(batch, cells, config_.dim, type_);
    auto scope = c.scope("projector");
    const Tensor all = c.scratch(batch, cells, (2 + config_.blocks) * wide, type_);
    const Tensor first = conv2d(c, windows, {windows.rows, 1}, project_in_.convolution);
    for (const auto& [from, to] :
         backbone_.window_lines(first, all.slice_columns(0, 2 * hidden), grid))
        norm_activate_into(c, to, from, project_in_.norm, config_.projector_activation);
    const Tensor middle = c.scratch(batch, cells, hidden, type_);
    for (uint32_t i = 0; i < config_.blocks; ++i) {
        conv_norm_into(c, middle, all.slice_columns((1 + i) * wide, hidden), grid,
                       bottlenecks_[i].first);
        conv_norm_into(c, all.slice_columns((2 + i) * wide, hidden), middle, grid,
                       bottlenecks_[i].second);
    }
    conv_norm_into(c, y, all, grid, project_out_, &projector_norm_);
    return y;
}

// The cells with the highest scores, in that order, give the queries their reference boxes.
Boxes RfDetr::choose(Commands& c, const Tensor& memory, const Tensor& values, const Tensor& sines,
                     Parts& parts) const {
    const uint32_t batch = memory.batch, count = config_.queries;
    const Boxes result{c.scratch(batch, count, 4, Type::f32), c.scratch(batch, count, 4, type_)};
    auto scope = c.scope("queries");
    const Tensor projected = c.scratch(batch, memory.rows, config_.dim, Type::f32);
    linear_into(c, projected, memory, cell_output_);
    const Tensor features = layer_norm(c, projected, cell_norm_, type_);
    const auto [best, deltas] = score_cells(c, features, cell_classes_, cell_boxes_, count,
                                            [&] { linear_into(c, values, memory, memory_values_); },
                                            {at_.value().outside, never_});
    scale_picked_boxes(c, result, sines, deltas, at_.value().proposals, best.picks, query_boxes_);
    parts.keep(c, "topk_indices", best.picks);
    parts.keep(c, "topk_scores", best.values);
    parts.keep(c, "reference_points", result.boxes);
    return result;
}

void RfDetr::decode(Commands& c, const Stream& s, const Tensor& boxes, const Tensor& sines,
                    const Tensor& values, Size grid, DetectionTaps& taps) const {
    const uint32_t wide = values.columns / config_.layers;
    copy(c, s.x, query_content_);
    if (s.y.type != s.x.type) copy(c, s.y, query_content_);
    const auto& [first, last] =
        std::tie(query_position_.layers.at(0), query_position_.layers.at(1));
    linear_into(c, s.pos, linear(c, sines, first, query_position_.between), last);
    add_into(c, s.at, s.pos, s.x);
    for (uint32_t i = 0; i < config_.layers; ++i) {
        const Layer& w = layers_[i];
        auto layer = c.scope("layer");
        self_attend(c, s, s.queries(), w.self, self_heads_, i, taps.queries);
        const Tensor sampled =
            deformable_attention(c, {s.at, boxes, values.slice_columns(i * wide, wide), {grid}},
                                 w.cross, deformable_, i, taps.decoder);
        linear_add(c, s.x, sampled, w.cross_out);
        normalize(c, s.values(), w.cross_norm);
        feed_forward(c, s, s, w.ffn, config_.activation);
        keep_boxes(c, s, boxes, i, taps.parts);
    }
}

// What the heads would answer after a layer: they are trained on each.
void RfDetr::keep_boxes(Commands& c, const Stream& s, const Tensor& from, uint32_t layer,
                        Parts& parts) const {
    if (!parts.wanted()) return;
    auto scope = c.scope("answers");
    auto room = [&](Type type) { return c.scratch(s.x.batch, s.x.rows, 4, type); };
    const Boxes boxes{room(Type::f32), room(type_)};
    const Tensor deltas = room(Type::f32);
    mlp_into(c, deltas, layer_norm(c, s.x, norm_, type_), box_head_);
    scale_boxes(c, boxes, deltas, from);
    parts.keep(c, "layer_boxes_" + std::to_string(layer), boxes.boxes);
}

TokenLayout RfDetr::layout(Size picture) const {
    return {.grid = backbone_.grid_of(picture),
            .first_cell = 0,
            .cross = true,
            .first_query = 0,
            .cell = glm::vec2(static_cast<float>(config_.backbone.patch))};
}

double RfDetr::multiply_adds(Size picture) const {
    const double n = area(backbone_.grid_of(picture)), dim = config_.dim, q = config_.queries;
    const double hidden = config_.hidden, maps = double(config_.backbone.stages.size());
    const double projector =
        n * (maps * config_.backbone.hidden * 2 * hidden + config_.blocks * 18.0 * hidden * hidden +
             (2.0 + config_.blocks) * hidden * dim);
    const double cells = n * dim * (dim + classes() + 2 * dim + 4);
    const double layer =
        q * dim * (4 * dim + 2 * q) + n * dim * dim + q * dim * (dim + 3.0 * deformable_.points()) +
        4 * q * dim * config_.sampling.all_points() + 2 * q * dim * config_.intermediate;
    return backbone_.multiply_adds(picture) + projector + cells + config_.layers * layer +
           q * dim * (5 * dim + 4 + classes());
}

}  // namespace saccade
