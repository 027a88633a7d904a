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

// One kind of attention of a model, read from the queries and keys that it has left on the device:
// for each layer the weights of its query tokens over the keys, some of which are the cells of a
// grid over the picture.
class AttentionSource {
public:
    // The model that owns q and k must outlive this.
    AttentionSource(Engine& engine, std::vector<AttentionLayer> layers, uint32_t first_cell,
                    const MapGeometry& geometry);

    uint32_t layers() const { return static_cast<uint32_t>(layers_.size()); }
    uint32_t heads() const { return layers_.front().heads.count; }
    uint32_t tokens() const { return layers_.front().tokens(); }  // queries
    uint32_t keys() const { return layers_.front().keys(); }
    uint32_t first_cell() const {
        return first_cell_;
    }  // the index of the first key that is a cell
    uint32_t cells() const { return area(geometry_.grid); }
    const MapGeometry& geometry() const { return geometry_; }
    // The windows of windowed attention in a layer; none for global attention.
    const std::optional<Windows>& windows(uint32_t layer) const {
        return layers_.at(layer).windows;
    }
    std::optional<Rectangle> window_at(uint32_t layer, glm::vec2 point) const {
        return saccade::window_at(layers_.at(layer), geometry_, point);
    }

    // Deformable attention: the sampling points of a head on each level, and the levels' sizes.
    // Both are empty for dense attention, which has no points().
    const std::vector<uint32_t>& points_on_levels() const { return layers_.front().points; }
    const std::vector<Size>& levels() const { return layers_.front().levels; }
    // The sampling points of one head, or of all heads.
    std::vector<SampledPoint> points(uint32_t layer, uint32_t token,
                                     std::optional<uint32_t> head) const;

    // The attention weights of tokens [first, first + count) in a layer: (heads, count, keys).
    std::vector<float> rows(uint32_t layer, uint32_t first, uint32_t count) const;
    // The mean of those rows: (heads, keys).
    std::vector<float> average(uint32_t layer, uint32_t first, uint32_t count) const;

    // Of consecutive rows of keys, only the picture's cells: (rows, cells).
    std::vector<float> cells_of(const std::vector<float>& rows) const;

private:
    Engine* engine_;
    std::vector<AttentionLayer> layers_;
    uint32_t first_cell_;
    MapGeometry geometry_;
};

// One head of (heads, n) values, or the mean of all heads: (n).
std::vector<float> of_head(const std::vector<float>& heads, uint32_t count,
                           std::optional<uint32_t> head);

}  // namespace saccade
