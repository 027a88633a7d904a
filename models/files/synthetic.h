#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/files/checkpoint.h"

namespace saccade {

// Deterministic pseudo-random weights: every value is a function of a seed, the tensor's name and
// the element's index, the same bits on every machine and in the parity kit's weights.py. Their
// scales keep activations in the range of a trained model's.

// Moves the values of tensors in whose names a regular expression is found into another range: the
// first that is found makes x * factor + offset of them.
struct Adjustment {
    std::string found;
    float factor = 1, offset = 0;
};

// F32, F16 or BF16 elements of one tensor.
std::vector<std::byte> synthetic_bytes(uint64_t seed, std::string_view name,
                                       std::span<const uint64_t> shape, StoredType type,
                                       std::span<const Adjustment> adjust = {});

// A parity case's weights.json: which tensors a checkpoint has.
struct Manifest {
    struct Entry {
        std::string name;
        std::vector<uint64_t> shape;
        std::vector<float> values = {};  // of a tensor that is a constant; empty: synthetic ones
    };
    uint64_t seed = 0;
    StoredType type = StoredType::f32;
    std::vector<Entry> tensors;
    std::vector<Adjustment> adjust = {};
};
Manifest read_manifest(const std::filesystem::path& path);

// Writes folder/model.safetensors, tensor by tensor; makes the folder. config.json is the caller's.
void write_checkpoint(const std::filesystem::path& folder, const Manifest& manifest);

// Stands in for a checkpoint without a file.
class SyntheticWeights : public WeightSource {
public:
    // Has what the manifest lists, in the manifest's shapes.
    explicit SyntheticWeights(const Manifest& manifest);

    // Has every tensor that is asked for, in the shape asked for, or those that `has` allows.
    using Has = std::function<bool(std::string_view name)>;
    SyntheticWeights(uint64_t seed, StoredType type, Has has = nullptr);

    std::optional<StoredTensor> find(std::string_view name,
                                     std::span<const uint64_t> shape) override;
    void release(std::span<const std::byte> bytes) override;  // frees once the end is released
    std::string where(std::string_view name) const override;
    uint64_t elements() const override;  // 0 without a manifest
    std::vector<std::string> unused() const override;

private:
    StoredTensor make(const Manifest::Entry& entry);

    uint64_t seed_;
    StoredType type_;
    Has has_;
    std::vector<Adjustment> adjust_;
    std::optional<std::map<std::string, Manifest::Entry, std::less<>>> listed_;
    std::set<std::string> used_;
    std::vector<std::vector<std::byte>> buffers_;  // handed out and not yet released
};

}  // namespace saccade
