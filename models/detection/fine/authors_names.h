#pragma once

#include <string>
#include <vector>

#include "models/files/checkpoint.h"

namespace saccade {

// A checkpoint of DEIMv2's authors under transformers' names. The authors stack the tensors of
// queries, keys and values, and those of a SwiGLU's two branches; this returns parts of them. What
// their code does not have is neutral: a layer scale of ones, an unused norm of ones and zeros. A
// whole number, which their config.json gave reg_scale, becomes a float.
class AuthorsNames : public WeightSource {
public:
    explicit AuthorsNames(WeightSource& from) : from_(from) {}

    std::optional<StoredTensor> find(std::string_view name,
                                     std::span<const uint64_t> shape) override;
    void release(std::span<const std::byte> bytes) override { from_.release(bytes); }
    std::string where(std::string_view name) const override { return from_.where(name); }
    uint64_t elements() const override { return from_.elements(); }
    std::vector<std::string> unused() const override { return from_.unused(); }

private:
    std::optional<StoredTensor> neutral(std::string_view name, std::span<const uint64_t> shape);
    StoredTensor as_float(StoredTensor tensor);

    WeightSource& from_;
    std::vector<float> ones_, zeros_;
    float number_ = 0;
};

}  // namespace saccade
