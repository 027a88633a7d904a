#include "models/detection/detection_model.h"

#include "gpu/ops/boxes.h"
#include "gpu/ops/rows.h"

namespace saccade {

DetectionOutput DetectionOutput::at_batch(uint32_t index) const {
    DetectionOutput one{logits.at_batch(index), boxes.at_batch(index)};
    for (const Tensor& t : for_masks) one.for_masks.push_back(t.at_batch(index));
    return one;
}

void find_by_softmax(Commands& c, const Tensor& found, const DetectionOutput& out,
                     const std::vector<std::string>& labels, Size frame) {
    const auto classes = static_cast<uint32_t>(labels.size());
    detections_into(c, found, out.logits, out.boxes, classes, frame);
}

void find_by_sigmoid(Commands& c, const Tensor& found, const DetectionOutput& out, Size frame) {
    auto scope = c.scope("find");
    const Selected best = select(c, out.logits, found.rows);
    picked_detections_into(c, found, best, out.boxes, out.logits.columns, frame);
}

Mlp load_mlp(WeightLoader& weights, const std::string& prefix, uint32_t in, uint32_t hidden,
             uint32_t out, uint32_t layers) {
    Mlp result;
    for (uint32_t i = 0; i < layers; ++i)
        result.layers.push_back(
            weights.linear(prefix + ".layers." + std::to_string(i),
                           {.out = i + 1 < layers ? hidden : out, .in = i > 0 ? hidden : in}));
    return result;
}

Tensor all_but_last(Commands& c, const Tensor& x, const Mlp& w) {
    Tensor hidden = x;
    for (size_t i = 0; i + 1 < w.layers.size(); ++i)
        hidden = linear(c, hidden, w.layers[i], w.between);
    return hidden;
}

void mlp_into(Commands& c, const Tensor& y, const Tensor& x, const Mlp& w, Activation last) {
    linear_into(c, y, all_but_last(c, x, w), w.layers.back(), last);
}

void mlp_add(Commands& c, const Tensor& y, const Tensor& x, const Mlp& w) {
    linear_add(c, y, all_but_last(c, x, w), w.layers.back());
}

}  // namespace saccade
