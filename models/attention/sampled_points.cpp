#include "models/attention/sampled_points.h"

#include <numeric>

namespace saccade {

std::vector<SampledPoint> SampledPoints::read(Commands& c, const AttentionLayer& layer,
                                              uint32_t query, std::optional<uint32_t> head,
                                              const MapGeometry& geometry) {
    c.begin();
    {
        auto scope = c.scope("points");
        places_.record(c, layer.q.at_batch(0).slice_rows(query, 1));
        shares_.record(c, layer.k.at_batch(0).slice_rows(query, 1));
    }
    c.end();
    c.run();
    const std::vector<float> places = places_.floats(), shares = shares_.floats();
    const std::vector<uint32_t>& on_level = layer.points;  // of one head
    const size_t each = std::accumulate(on_level.begin(), on_level.end(), size_t{0});
    const size_t first = head ? *head * each : 0, count = head ? each : shares.size();
    const float heads = static_cast<float>(count) / static_cast<float>(each);
    const glm::vec2 picture = glm::vec2(geometry.grid) * geometry.cell;
    std::vector<SampledPoint> points;
    points.reserve(count);
    for (size_t at = first; at < first + count;)
        for (uint32_t level = 0; level < on_level.size(); ++level)
            for (uint32_t i = 0; i < on_level[level]; ++i, ++at)
                points.push_back(
                    {geometry.corner + glm::vec2(places[2 * at], places[2 * at + 1]) * picture,
                     shares[at] / heads, level});
    return points;
}

}  // namespace saccade
