#pragma once

#include <cstdint>
#include <vector>

#include "gpu/engine.h"
#include "gpu/ops/grid_attention.h"
#include "models/attention/map_geometry.h"
#include "models/attention/sampled_points.h"
#include "models/attention/tap.h"
#include "models/attention/window_outline.h"

namespace saccade {

// The attention of one kind that a model has left on the device, layer by layer: from its tokens to
// tokens of a picture, some of which are the cells of a grid over it.
class AttentionSource {
public:
    // Who has left q and k must outlive this.
    AttentionSource(Engine& engine, std::vector<AttentionLayer> layers, uint32_t first_cell,
                    const MapGeometry& geometry);

    uint32_t layers() const { return static_cast<uint32_t>(layers_.size()); }
    uint32_t heads() const { return layers_.front().heads.count; }
    uint32_t tokens() const { return layers_.front().tokens(); }  // that look
    uint32_t keys() const { return layers_.front().keys(); }  // that are looked at
    uint32_t first_cell() const { return first_cell_; }       // of the keys
    uint32_t cells() const { return area(geometry_.grid); }
    const MapGeometry& geometry() const { return geometry_; }
    // That cells look in, in a layer; none if they look everywhere.
    const std::optional<Windows>& windows(uint32_t layer) const {
        return layers_.at(layer).windows;
    }
    std::optional<Rectangle> window_at(uint32_t layer, glm::vec2 point) const {
        return saccade::window_at(layers_.at(layer), geometry_, point);
    }

    // Of tokens that look at points: how many a head has on each level, and the levels' sizes. Else
    // none, and there are no points().
    const std::vector<uint32_t>& points_on_levels() const { return layers_.front().points; }
    const std::vector<Size>& levels() const { return layers_.front().levels; }
    // Of one head, or of all.
    std::vector<SampledPoint> points(uint32_t layer, uint32_t token,
                                     std::optional<uint32_t> head) const;

    // What tokens [first, first + count) look at in a layer: (heads, count, keys).
    std::vector<float> rows(uint32_t layer, uint32_t first, uint32_t count) const;
    // The average of those rows: (heads, keys).
    std::vector<float> average(uint32_t layer, uint32_t first, uint32_t count) const;

    // Of rows of keys, one after another, those of the picture's cells.
    std::vector<float> cells_of(const std::vector<float>& rows) const;

private:
    Engine* engine_;
    std::vector<AttentionLayer> layers_;
    uint32_t first_cell_;
    MapGeometry geometry_;
};

// The average of the heads of (heads, n) values, or one of them: (n).
std::vector<float> of_head(const std::vector<float>& heads, uint32_t count,
                           std::optional<uint32_t> head);

}  // namespace saccade
