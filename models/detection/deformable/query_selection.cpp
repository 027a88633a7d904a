#include "models/detection/deformable/query_selection.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <tuple>

#include "gpu/ops/elementwise.h"
#include "gpu/recorder/upload.h"
#include "models/detection/deformable/deformable_attention.h"

namespace saccade {

namespace {

constexpr float anchor_size =
    0.05f;  // of the picture, on the largest map; doubles on each next map

// The boxes around the cells, as logits, and the cells that are too close to the border.
struct Anchors {
    std::vector<float> logits;  // (cells, 4)
    std::vector<uint32_t> outside;
};
Anchors anchors_of(const std::vector<Size>& levels) {
    Anchors all;
    for (size_t level = 0; level < levels.size(); ++level) {
        const Size size = levels[level];
        const float side = std::ldexp(anchor_size, static_cast<int>(level));
        for (uint32_t y = 0; y < size.y; ++y)
            for (uint32_t x = 0; x < size.x; ++x) {
                const float box[4] = {(static_cast<float>(x) + 0.5f) / static_cast<float>(size.x),
                                      (static_cast<float>(y) + 0.5f) / static_cast<float>(size.y),
                                      side, side};
                bool inside = true;
                for (float v : box) inside &= v > border && v < 1 - border;
                if (!inside) all.outside.push_back(static_cast<uint32_t>(all.logits.size() / 4));
                for (float v : box)
                    all.logits.push_back(inside ? std::log(v / (1 - v))
                                                : std::numeric_limits<float>::max());
            }
    }
    return all;
}

// The anchors of the file replace the computed ones of these maps, unless they are of others. They
// are buffers, which the authors' training averages together with the weights; the rounding of
// that adds up to some 2e-4.
void replace_by_stored(std::vector<float>& logits, const std::vector<float>& stored) {
    constexpr float most = 0.01f;
    if (stored.size() != logits.size()) return;
    auto counts = [](float logit) { return logit < std::numeric_limits<float>::max(); };
    for (size_t i = 0; i < logits.size(); ++i)
        if (counts(logits[i]) && !(std::abs(stored[i] - logits[i]) < most)) return;
    for (size_t i = 0; i < logits.size(); ++i)
        if (counts(logits[i])) logits[i] = stored[i];
}

}  // namespace

// Box offsets are computed for all cells, one layer in parallel to each step of the selection, so
// that they need not wait for it.
ScoredCells score_cells(Commands& c, const Tensor& features, const Linear& score_head,
                        const Mlp& box_head, uint32_t count, const Meanwhile& meanwhile,
                        const MaskedCells& masked) {
    const uint32_t batch = features.batch, cells = features.rows;
    const auto& [first, second, last] =
        std::tie(box_head.layers.at(0), box_head.layers.at(1), box_head.layers.at(2));
    const Tensor deltas = c.scratch(batch, cells, 4, Type::f32);
    const Tensor scores = c.scratch(batch, cells, score_head.weight.rows, Type::f32);
    linear_into(c, scores, features, score_head);
    Tensor inner = linear(c, features, first, box_head.between);
    if (masked.cells) set_rows(c, scores, masked.cells, masked.scores);
    const Tensor highest = row_max(c, scores);
    inner = linear(c, inner, second, box_head.between);
    const Selected best = select(c, highest, count);
    linear_into(c, deltas, inner, last);
    meanwhile();
    return {best, deltas};
}

QuerySelection::QuerySelection(WeightLoader& weights, const QuerySelectionForm& form)
    : device_(weights.device()),
      form_(form),
      score_head_(weights.linear("model.enc_score_head", {.out = form.classes, .in = form.dim})),
      box_head_(load_mlp(weights, "model.enc_bbox_head", form.dim, form.dim, 4, box_layers)) {
    box_head_.between = form.box_activation;
    if (form.projects) {
        output_ = weights.linear("model.enc_output.0", {.out = form.dim, .in = form.dim});
        norm_ = weights.norm("model.enc_output.1", form.dim, form.norm_eps);
        at_border_ = output_.bias;
    } else {
        at_border_ = weights.table(std::vector<float>(form.dim), 1, form.dim);
    }
    if (!form.stored_anchors) return;
    const auto stored = weights.source().find("model.anchors", {});
    if (!stored || stored->type != StoredType::f32) return;
    stored_anchors_.resize(stored->elements());
    read_floats(*stored, 0, stored_anchors_);
    weights.source().release(stored->bytes);
}

void QuerySelection::prepare(const std::vector<Size>& levels) {
    at_.choose(levels, [&] { return places_for(levels); });
}

QuerySelection::Places QuerySelection::places_for(const std::vector<Size>& levels) const {
    Anchors all = anchors_of(levels);
    replace_by_stored(all.logits, stored_anchors_);
    const auto cells = static_cast<uint32_t>(all.logits.size() / 4);
    const auto outside = static_cast<uint32_t>(all.outside.size());
    const uint64_t anchor_bytes = (tensor_bytes(1, cells, 4, Type::f32) + 255) / 256 * 256;
    const uint64_t bytes = anchor_bytes + tensor_bytes(1, 1, outside + 1, Type::u32);
    Places places;
    places.memory = Buffer(device_, "anchors", bytes, Memory::device);
    places.anchors = make_tensor(places.memory.handle(), 0, 1, cells, 4, Type::f32);
    upload(device_, places.anchors, [&](std::span<std::byte> staged) {
        for (uint32_t i = 0; i < cells; ++i)
            std::memcpy(&staged[size_t(i) * places.anchors.row_stride * sizeof(float)],
                        &all.logits[size_t(4) * i], 4 * sizeof(float));
    });
    if (outside > 0) {
        places.outside =
            make_tensor(places.memory.handle(), anchor_bytes, 1, 1, outside, Type::u32);
        upload(device_, places.outside, [&](std::span<std::byte> staged) {
            std::memcpy(staged.data(), all.outside.data(), outside * sizeof(uint32_t));
        });
    }
    return places;
}

// The memory, projected if the form says so. Memory close to the border counts as zero, whose
// projection is the bias.
Tensor QuerySelection::features_of(Commands& c, const Tensor& memory) const {
    const Tensor& outside = at_.value().outside;
    if (!form_.projects && !outside) return memory;
    const Tensor features =
        c.scratch(memory.batch, memory.rows, form_.dim, form_.projects ? Type::f32 : memory.type);
    if (form_.projects)
        linear_into(c, features, memory, output_);
    else
        copy(c, features, memory);
    if (outside) set_rows(c, features, outside, at_border_);
    return features;
}

QuerySelection::Queries QuerySelection::choose(Commands& c, const Tensor& memory, Parts& parts,
                                               const Meanwhile& meanwhile) const {
    const uint32_t batch = memory.batch, queries = form_.queries;
    Queries result{
        c.scratch(batch, queries, form_.dim, Type::f32),
        {c.scratch(batch, queries, 4, Type::f32), c.scratch(batch, queries, 4, memory.type)}};
    auto scope = c.scope("queries");
    const Tensor features = features_of(c, memory);
    const Tensor scored = form_.projects ? layer_norm(c, features, norm_, memory.type) : features;
    const auto [best, deltas] = score_cells(c, scored, score_head_, box_head_, queries, meanwhile);

    // The features of the selected cells again, in fp32.
    const Tensor chosen = gather_rows(c, features, best.picks, Type::f32);
    if (form_.projects)
        layer_norm_into(c, result.content, chosen, norm_);
    else
        copy(c, result.content, chosen);
    refine_picked_boxes(c, result.reference, deltas, at_.value().anchors, best.picks);

    parts.keep(c, "topk_indices", best.picks);
    parts.keep(c, "topk_scores", best.values);
    parts.keep(c, "reference_points", result.reference.boxes);
    return result;
}

double QuerySelection::multiply_adds(uint32_t cells) const {
    const double dim = form_.dim;
    return cells * dim * ((form_.projects ? dim : 0) + form_.classes + 2 * dim + 4);
}

}  // namespace saccade
