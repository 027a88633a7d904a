#include "app/pipeline/attention_view.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "app/pipeline/point_view.h"
#include "gpu/ops/elementwise.h"
#include "gpu/ops/maps.h"
#include "models/attention/window_outline.h"

namespace saccade {

namespace {

using Token = Looker::Token;

MapGeometry geometry_for(const Looker& looker, const AttentionState& attention,
                         const Models& models) {
    if (shows_similarity(looker, attention, models) || shows_colours(looker, attention, models))
        return looker.of_detector ? models.detector->geometry()
                                  : models.classifier->feature_geometry();
    if (looker.token == Token::word) return models.captioner->geometry();
    if (looker.token == Token::query) return models.detector->query_geometry();
    if (looker.of_detector) return models.detector->geometry();
    return models.classifier->geometry(
        rolls_out(looker, attention, models) ? 0 : layer_of(looker, attention, models));
}

std::pair<float, float> extent_of(const std::vector<float>& cells) {
    const auto [smallest, largest] = std::ranges::minmax(cells);
    return {smallest, largest};
}

}  // namespace

AttentionSeen seen_of(const SignedMap& effects, const Looker& looker) {
    AttentionSeen seen;
    seen.looker = looker;
    seen.mode = AttentionMode::cause;
    seen.geometry = effects.geometry;
    seen.cells = effects.cells;
    std::tie(seen.smallest, seen.largest) = extent_of(seen.cells);
    return seen;
}

AttentionView::AttentionView(Engine& engine) : engine_(engine), rollout_(engine.device()) {}

bool AttentionView::prepare(const Models& models, const Looker& looker,
                            const AttentionState& attention) {
    const MapGeometry before = geometry_;
    geometry_ = geometry_for(looker, attention, models);
    const bool same_place = before.corner == geometry_.corner && before.cell == geometry_.cell;
    const bool coloured = shows_colours(looker, attention, models);
    const bool same_kind = std::exchange(coloured_, coloured) == coloured;
    const uint32_t count = coloured ? 3
                           : attention.mode == AttentionMode::grid
                               ? heads_of(looker, attention, models)
                               : 1;
    const uint32_t width = geometry_.grid.x, height = geometry_.grid.y;
    if (same_place && same_kind && maps_ && maps_.batch == count && maps_.rows == height &&
        maps_.columns == width)
        return false;
    const uint64_t bytes = tensor_bytes(count, height, width, Type::f32);
    maps_ = {};
    if (memory_.bytes() < bytes)
        memory_ = Buffer(engine_.device(), "attention maps", bytes, Memory::device);
    maps_ = make_tensor(memory_.handle(), 0, count, height, width, Type::f32);
    return true;
}

std::vector<std::string> AttentionView::names(const Models& models, const Looker& looker) const {
    std::vector<std::string> names;
    if (!tiled()) return names;
    if (looker.token == Token::phrase) return phrases_of(looker, models);
    for (uint32_t i = 0; i < maps_.batch; ++i) names.push_back(std::to_string(i));
    return names;
}

AttentionSeen AttentionView::recorded(const Models& models, const Looker& looker,
                                      const AttentionState& attention) const {
    AttentionSeen seen;
    seen.looker = looker;
    seen.mode = attention.mode;
    seen.rolled_out = rolls_out(looker, attention, models);
    seen.similarity = shows_similarity(looker, attention, models);
    seen.coloured = coloured_;
    seen.window = window_;
    seen.levels = levels_;
    seen.layer = layer_of(looker, attention, models);
    seen.layers = layers_of(looker, models);
    seen.heads = heads_of(looker, attention, models);
    seen.head = std::min(attention.head, seen.heads - 1);
    seen.geometry = geometry_;
    return seen;
}

AttentionSeen AttentionView::seen(const Models& models, const Looker& looker,
                                  const AttentionState& attention) const {
    AttentionSeen seen = recorded(models, looker, attention);
    seen.cells = values_.floats();
    if (seen.cells.empty()) return seen;
    std::tie(seen.smallest, seen.largest) = extent_of(seen.cells);
    seen.limited = limited();
    if (seen.limited) seen.largest = outlier_limit(seen.cells);
    seen.on_picture = std::accumulate(seen.cells.begin(), seen.cells.end(), 0.0f) /
                      static_cast<float>(maps_.batch);
    return seen;
}

Tensor AttentionView::features(Commands& c, const Models& models, const MapTaps& taps,
                               const Looker& looker, const AttentionState& attention) const {
    if (shows_colours(looker, attention, models))
        return looker.of_detector
                   ? models.detector->colours(c, taps.detection, taps.detection_colours)
                   : models.classifier->colours(c, taps.classification,
                                                taps.classification_colours);
    if (!shows_similarity(looker, attention, models)) return {};
    if (looker.of_detector)
        return models.detector->similarity_to_point(c, taps.detection, looker.point);
    if (looker.token == Token::class_token)
        return models.classifier->similarity_to_class_token(c, taps.classification);
    return models.classifier->similarity_to_point(c, taps.classification, looker.point);
}

Tensor AttentionView::map(Commands& c, const Models& models, const MapTaps& taps,
                          const Looker& looker, const Look& look) const {
    if (looker.token == Token::word)
        return models.captioner->look_from_word(c, look, looker.first_id, looker.ids);
    if (looker.token == Token::phrase) {
        const uint32_t phrase = look.head.value_or(looker.phrase);
        return looker.of_detector
                   ? models.detector->look_from_phrase(c, taps.detection, phrase)
                   : models.classifier->look_from_phrase(c, taps.classification, phrase);
    }
    if (looker.token == Token::query)
        return models.detector->look_from_query(c, taps.detection, look, looker.query);
    if (looker.of_detector)
        return models.detector->look_from_point(c, taps.detection, look, looker.point);
    if (looker.token == Token::class_token)
        return models.classifier->look_from_class_token(c, taps.classification, look);
    return models.classifier->look_from_point(c, taps.classification, look, looker.point);
}

Tensor AttentionView::rollout(Commands& c, const Models& models, const MapTaps& taps,
                              const Looker& looker) {
    if (looker.token == Token::query)
        return models.detector->rollout_from_query(c, taps.detection, rollout_, looker.query);
    if (looker.of_detector)
        return models.detector->rollout_from_point(c, taps.detection, rollout_, looker.point);
    if (looker.token == Token::class_token)
        return models.classifier->rollout_from_class_token(c, taps.classification, rollout_);
    return models.classifier->rollout_from_point(c, taps.classification, rollout_, looker.point);
}

template <typename OfHead>
void AttentionView::record_greatest(Commands& c, uint32_t heads, const OfHead& of_head) const {
    // Max pooling does this: the heads are rows of a picture one pixel wide, the cells are its
    // channels, and the pooling window spans all rows.
    const uint32_t height = maps_.rows, width = maps_.row_stride;  // padding and all
    const Tensor all = c.scratch(1, heads, height * width, Type::f32);
    const Layout rows{{1, 1, height, width}, {0, 0, width, 1}, 0};
    auto from = [&](Layout layout, uint32_t offset) {
        layout.offset = offset;
        return layout;
    };
    for (uint32_t head = 0; head < heads; ++head) {
        auto one = c.scope("head");
        const Tensor map = of_head(head);
        copy_strided(c, all, from(rows, all.offset + head * all.row_stride), map, Stored::f32,
                     from(rows, map.offset));
    }
    const Tensor most = max_pool(c, all, {1, heads}, {2 * heads - 1, 1, heads - 1});
    copy_strided(c, maps_, from(rows, maps_.offset), most, Stored::f32, from(rows, most.offset));
}

void AttentionView::record(Commands& c, const Models& models, const MapTaps& taps,
                           const Looker& looker, const AttentionState& attention) {
    const uint32_t layer = layer_of(looker, attention, models);
    const uint32_t heads = heads_of(looker, attention, models);
    auto of_head = [&](std::optional<uint32_t> head) {
        return map(c, models, taps, looker, {layer, head});
    };
    window_.reset();
    if (const Tensor known = features(c, models, taps, looker, attention)) {
        copy(c, maps_, known);
    } else if (rolls_out(looker, attention, models)) {
        copy(c, maps_, rollout(c, models, taps, looker));
    } else if (attention.mode == AttentionMode::grid) {
        for (uint32_t head = 0; head < heads; ++head) {
            auto one = c.scope("head");
            copy(c, maps_.at_batch(head), of_head(head));
        }
    } else if (looker.token == Token::phrase) {
        copy(c, maps_, of_head(std::nullopt));
    } else if (attention.mode == AttentionMode::max) {
        record_greatest(c, heads, of_head);
    } else if (attention.mode == AttentionMode::head) {
        copy(c, maps_, of_head(std::min(attention.head, heads - 1)));
    } else {
        copy(c, maps_, of_head(std::nullopt));
    }
    const KeptLayers looked_into = kept_for(looker, attention, models);
    if (looker.token == Token::patch && looked_into.classifier.contains(layer))
        window_ = window_at(taps.classification.layer(layer), geometry_, looker.point);
    else if (looker.token == Token::patch && looked_into.encoder.contains(layer))
        window_ = window_at(taps.detection.encoder.layer(layer), geometry_, looker.point);
    const AttentionLayer* const sampled = sampled_layer(models, taps.detection, looker, attention);
    levels_ = sampled ? sampled->levels : std::vector<Size>();
    values_.record(c, maps_);  // as they are, whatever is drawn of them
    limits_ = has_outliers(looker, attention, models);
    if (limits_) limit_outliers(c, maps_);
}

}  // namespace saccade
