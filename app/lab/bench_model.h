#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/lab/engine.h"
#include "gpu/commands.h"

namespace saccade {

// A model as the benchmark sees it: something that can be recorded, and is so much work.
class BenchModel {
public:
    virtual ~BenchModel() = default;

    // Records the model alone, on a batch of pictures that have been preprocessed already, and
    // returns what somebody would want of it.
    virtual Tensor record(Commands& c, uint32_t batch) = 0;
    // Of one picture.
    virtual double multiply_adds() const = 0;
};

// A folder, or one of bench_models(). Detectors see a frame of 640x480.
std::unique_ptr<BenchModel> make_bench_model(Engine& engine, const std::string& model);

// Architectures at their real size, on deterministic weights made in memory.
std::vector<std::string> bench_models();

}  // namespace saccade
