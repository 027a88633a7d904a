#include "app/pipeline/point_view.h"

#include <algorithm>

namespace saccade {

const AttentionLayer* sampled_layer(const Models& models, const DetectionTaps& taps,
                                    const Looker& looker, const AttentionState& attention) {
    if (looker.token != Looker::Token::query || attention.mode == AttentionMode::off ||
        attention.mode == AttentionMode::grid)
        return nullptr;
    const auto& layers = taps.decoder.layers();
    const auto found = layers.find(layer_of(looker, attention, models));
    return found == layers.end() || found->second.points.empty() ? nullptr : &found->second;
}

PointView::PointView(Engine& engine) : commands_(engine.device(), engine.scratch(), "points") {}

std::vector<SampledPoint> PointView::read(const AttentionLayer& layer, const Models& models,
                                          const Looker& looker, const AttentionState& attention) {
    std::optional<uint32_t> head;
    if (attention.mode == AttentionMode::head)
        head = std::min(attention.head, layer.heads.count - 1);
    return points_.read(commands_, layer, looker.query, head, models.detector->query_geometry());
}

}  // namespace saccade
