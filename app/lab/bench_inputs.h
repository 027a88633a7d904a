#pragma once

#include <vector>

#include "gpu/core/buffer.h"
#include "gpu/core/tensor.h"
#include "gpu/engine.h"

namespace saccade {

// Pseudo-random tensors on the device, deterministic.
class BenchInputs {
public:
    explicit BenchInputs(Engine& engine) : engine_(engine) {}

    // Uniform in [-scale, scale].
    Tensor random(uint32_t batch, uint32_t rows, uint32_t columns, Type type, float scale = 1.0f);
    // The fragments of a weight; empty if the device does not use them.
    Tensor fragments(const Tensor& weight);

private:
    Engine& engine_;
    std::vector<Buffer> buffers_;
    uint32_t state_ = 1;
};

// max |a - b| / max |b|; infinite if an element of a is not finite.
double difference(const std::vector<float>& a, const std::vector<float>& b);

}  // namespace saccade
