#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <opencv2/core/mat.hpp>
#include <span>
#include <vector>

#include "models/attention/map_geometry.h"

namespace saccade {

// The mean of the attention maps of a clip's frames.
class ClipHeat {
public:
    // Adds the map of the next frame, (grid height, grid width). A map with another grid is sampled
    // at the cells of the first one.
    void add(std::span<const float> cells, const MapGeometry& geometry, Size frame);
    // Adds all maps of a later part of the clip.
    void add(const ClipHeat& later);

    uint64_t maps() const { return maps_; }
    std::vector<float> mean() const;
    // The mean as a heat map on black, as large as a frame.
    cv::Mat picture() const;

    nlohmann::ordered_json json() const;
    static ClipHeat from(const nlohmann::ordered_json& json);

private:
    template <typename Number>
    void add(std::span<const Number> cells, const MapGeometry& geometry, Size frame, uint64_t maps);

    uint64_t maps_ = 0;
    Size frame_;
    MapGeometry geometry_;
    std::vector<double> sums_;
};

}  // namespace saccade
