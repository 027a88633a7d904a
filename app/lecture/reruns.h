#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "gpu/engine.h"
#include "models/classifier.h"

namespace saccade {

// Runs a classifier again with something changed.
class Reruns {
public:
    // `patches`: the model's input for the picture, (patches, 3 * patch * patch).
    Reruns(Engine& engine, const Classifier& classifier, const std::vector<float>& patches);

    // What is recorded from these patches: patch order[i] takes the place of patch i; no order
    // leaves them in place.
    std::vector<float> run(const std::vector<uint32_t>& order,
                           const std::function<Tensor(Commands&, const Tensor&)>& record);
    // The logits with other patches at the positions: patch order[i] takes the place of patch i.
    // Without positions: the class token keeps its own.
    std::vector<float> with_order(const std::vector<uint32_t>& order, bool positions);
    // With one head of a layer switched off, for each head, and then with all: (heads + 1,
    // classes). `stream`: the residual stream before the layer. Empty where the model cannot begin
    // there.
    std::vector<float> without_heads(const Tensor& stream, uint32_t layer);

private:
    Engine& engine_;
    const Classifier& classifier_;
    const std::vector<float>& patches_;
};

}  // namespace saccade
