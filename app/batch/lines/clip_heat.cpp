#include "app/batch/lines/clip_heat.h"

#include <nlohmann/json.hpp>

#include "app/draw/heat_map.h"
#include "gpu/core/error.h"

namespace saccade {

template <typename Number>
void ClipHeat::add(std::span<const Number> cells, const MapGeometry& geometry, Size frame,
                   uint64_t maps) {
    if (maps == 0) return;
    if (maps_ == 0) {
        geometry_ = geometry;
        frame_ = frame;
        sums_.assign(area(geometry.grid), 0);
    }
    if (cells.size() != area(geometry.grid)) throw Error("a map that is not as large as it says");
    // The middle of each cell, in the picture that this map lies over.
    const glm::vec2 scale = glm::vec2(frame) / glm::vec2(frame_);
    for (uint32_t row = 0; row < geometry_.grid.y; ++row)
        for (uint32_t column = 0; column < geometry_.grid.x; ++column) {
            const glm::vec2 middle =
                geometry_.corner + geometry_.cell * (glm::vec2(column, row) + 0.5f);
            const MapGeometry::Cell cell = geometry.cell_at(middle * scale);
            sums_[size_t(row) * geometry_.grid.x + column] +=
                cells[size_t(cell.row) * geometry.grid.x + cell.column];
        }
    maps_ += maps;
}

void ClipHeat::add(std::span<const float> cells, const MapGeometry& geometry, Size frame) {
    add(cells, geometry, frame, 1);
}

void ClipHeat::add(const ClipHeat& later) {
    add(std::span<const double>(later.sums_), later.geometry_, later.frame_, later.maps_);
}

std::vector<float> ClipHeat::mean() const {
    std::vector<float> mean;
    for (const double sum : sums_) mean.push_back(static_cast<float>(sum / double(maps_)));
    return mean;
}

cv::Mat ClipHeat::picture() const {
    const cv::Mat black(static_cast<int>(frame_.y), static_cast<int>(frame_.x), CV_8UC3,
                        cv::Scalar::all(0));
    return with_heat(view_of(black), mean(), geometry_);
}

// Doubles survive the round trip exactly.
nlohmann::ordered_json ClipHeat::json() const {
    return {{"maps", maps_},
            {"frame", {frame_.x, frame_.y}},
            {"grid", {geometry_.grid.x, geometry_.grid.y}},
            {"corner", {geometry_.corner.x, geometry_.corner.y}},
            {"cell", {geometry_.cell.x, geometry_.cell.y}},
            {"sums", sums_}};
}

ClipHeat ClipHeat::from(const nlohmann::ordered_json& json) {
    auto pair = [&]<typename Vector>(const char* key, Vector& to) {
        json.at(key).at(0).get_to(to.x);
        json.at(key).at(1).get_to(to.y);
    };
    ClipHeat heat;
    json.at("maps").get_to(heat.maps_);
    pair("frame", heat.frame_);
    pair("grid", heat.geometry_.grid);
    pair("corner", heat.geometry_.corner);
    pair("cell", heat.geometry_.cell);
    json.at("sums").get_to(heat.sums_);
    if (heat.sums_.size() != area(heat.geometry_.grid)) heat = {};
    return heat;
}

}  // namespace saccade
