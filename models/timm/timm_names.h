#pragma once

#include <string>

#include "models/files/checkpoint.h"

namespace saccade {

// A timm checkpoint under transformers' tensor names, for ViT, DeiT and Swin. timm stacks q, k and
// v in one matrix, of which this returns thirds. Other names are passed through.
class TimmNames : public WeightSource {
public:
    explicit TimmNames(WeightSource& from) : from_(from) {}

    std::optional<StoredTensor> find(std::string_view name,
                                     std::span<const uint64_t> shape) override;
    void release(std::span<const std::byte> bytes) override { from_.release(bytes); }
    std::string where(std::string_view name) const override { return from_.where(name); }
    uint64_t elements() const override { return from_.elements(); }
    std::vector<std::string> unused() const override { return from_.unused(); }

private:
    WeightSource& from_;
};

}  // namespace saccade
