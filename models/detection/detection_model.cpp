#include "models/detection/detection_model.h"

namespace saccade {

void find_by_softmax(Commands& c, const Tensor& found, const DetectionOutput& out,
                     const std::vector<std::string>& labels, Size frame) {
    const auto classes = static_cast<uint32_t>(labels.size());
    detections_into(c, found, out.logits, out.boxes, classes, frame);
}

Perceptron load_perceptron(WeightLoader& weights, const std::string& prefix, uint32_t in,
                           uint32_t hidden, uint32_t out, uint32_t layers) {
    Perceptron result;
    for (uint32_t i = 0; i < layers; ++i)
        result.layers.push_back(
            weights.linear(prefix + ".layers." + std::to_string(i),
                           {.out = i + 1 < layers ? hidden : out, .in = i > 0 ? hidden : in}));
    return result;
}

void perceptron_into(Commands& c, const Tensor& y, const Tensor& x, const Perceptron& w,
                     Activation last) {
    Tensor hidden = x;
    for (size_t i = 0; i + 1 < w.layers.size(); ++i)
        hidden = linear(c, hidden, w.layers[i], Activation::relu);
    linear_into(c, y, hidden, w.layers.back(), last);
}

}  // namespace saccade
